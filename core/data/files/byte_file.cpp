#include "core/data/files/byte_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <new>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"

namespace ddl::data {
namespace {

// Deflate needs at least two bits for 258 bytes: a compression factor of at most 1032.
constexpr std::uint64_t best_compression = 1032;

gzFile handle(void* file) { return static_cast<gzFile>(file); }

}  // namespace

void ByteFile::Close::operator()(void* file) const { gzclose(handle(file)); }

ByteFile::ByteFile(const std::string& path) : path_(path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) fail("no such file");
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (!error) file_.reset(gzopen(path.c_str(), "rb"));
  if (!file_) fail_with(path_ + ": cannot be opened for reading", error ? error.value() : errno);
  gzbuffer(handle(file_.get()), 1u << 17);
  const bool plain = gzdirect(handle(file_.get())) != 0;
  most_bytes_ = plain ? size : size * best_compression;
}

void ByteFile::fail(const std::string& why) const { throw InputError(path_ + ": " + why); }

std::size_t ByteFile::read_some(std::span<std::uint8_t> out) {
  constexpr std::size_t block = 1u << 20;
  std::size_t done = 0;
  while (done < out.size()) {
    const auto wanted = static_cast<unsigned>(std::min(block, out.size() - done));
    const int got = gzread(handle(file_.get()), out.data() + done, wanted);
    if (got <= 0) {
      int code = Z_OK;
      const char* text = gzerror(handle(file_.get()), &code);
      if (code == Z_BUF_ERROR) fail("compressed data end early; expected a whole gzip file");
      if (code == Z_MEM_ERROR) throw std::bad_alloc();
      if (code != Z_OK && code != Z_STREAM_END) fail(std::string("cannot be read; zlib says: ") + text);
      break;
    }
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void ByteFile::read(std::span<std::uint8_t> out, const std::string& what) {
  const std::size_t got = read_some(out);
  if (got < out.size()) {
    fail("is short: ends after " + std::to_string(got) + " bytes of its " + what + "; expected " +
         std::to_string(out.size()));
  }
}

std::string ByteFile::read_all(std::size_t most) {
  std::string text;
  for (std::size_t got = 1, block = 1 << 16; got > 0; block = std::min<std::size_t>(2 * block, 1 << 24)) {
    const std::size_t before = text.size();
    text.resize(before + block);
    got = read_some({reinterpret_cast<std::uint8_t*>(text.data()) + before, block});
    text.resize(before + got);
    if (text.size() > most) fail("holds more than " + std::to_string(most >> 20) + " MiB; expected less");
  }
  return text;
}

void ByteFile::expect_end(const std::string& what) {
  std::uint8_t byte = 0;
  if (read_some({&byte, 1}) == 1) fail("has more bytes after its " + what + "; expected the end of the file");
}

}  // namespace ddl::data

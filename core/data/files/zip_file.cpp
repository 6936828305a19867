#include "core/data/files/zip_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <new>
#include <span>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"

namespace ddl::data {
namespace {

constexpr std::size_t end_bytes = 22, entry_bytes = 46, local_header_bytes = 30, longest_comment = 65535;
constexpr std::uint64_t most_inflated = 1032;  // deflate's limit
constexpr std::uint32_t end_mark = 0x06054b50, entry_mark = 0x02014b50, header_mark = 0x04034b50;

// Little-endian.
std::uint32_t number(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | bytes[at + i];
  return value;
}

// Inflates data piece by piece.
class Inflater {
 public:
  Inflater() {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  // Fills as much of `out` as `in` holds; false if it is damaged.
  bool run(std::span<std::uint8_t> in, std::span<std::uint8_t> out, std::size_t& filled) {
    constexpr std::size_t block = 1u << 30;  // zlib counts in unsigned ints
    int code = Z_OK;
    while (code == Z_OK && filled < out.size()) {
      if (stream_.avail_in == 0) {
        const std::size_t taken = std::min(in.size(), block);
        stream_.next_in = in.data();
        stream_.avail_in = static_cast<unsigned>(taken);
        in = in.subspan(taken);
      }
      const std::size_t room = std::min(out.size() - filled, block);
      stream_.next_out = out.data() + filled;
      stream_.avail_out = static_cast<unsigned>(room);
      code = inflate(&stream_, Z_NO_FLUSH);
      filled += room - stream_.avail_out;
    }
    return code == Z_OK || code == Z_STREAM_END;
  }

 private:
  z_stream stream_{};
};

}  // namespace

void ZipFile::fail(const std::string& why) const { throw InputError(path_ + ": " + why); }

ZipFile::ZipFile(const std::string& path) : path_(path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) fail("no such file");
  size_ = std::filesystem::file_size(path, error);
  file_.open(path, std::ios::binary);
  if (error || !file_) fail_with(path_ + ": cannot be opened for reading", error ? error.value() : errno);

  const std::uint64_t tail = std::min<std::uint64_t>(size_, end_bytes + longest_comment);
  const std::vector<std::uint8_t> last = bytes_at(size_ - tail, tail);
  std::size_t end = last.size() + 1;
  for (std::size_t at = last.size() < end_bytes ? 0 : last.size() - end_bytes + 1; at-- > 0 && end > last.size();) {
    if (number(last, at, 4) == end_mark && at + end_bytes + number(last, at + 20, 2) == last.size()) end = at;
  }
  if (end > last.size()) fail("is no zip file, or cut short; expected a file .npz");
  const std::uint32_t count = number(last, end + 10, 2), length = number(last, end + 12, 4);
  directory_at_ = number(last, end + 16, 4);
  if (count == 0xffff || length == 0xffffffff || directory_at_ == 0xffffffff) {
    fail("is larger than 4 GiB; expected less, or a folder with files .npy");
  }
  if (directory_at_ + length > size_ - tail + end) fail("has a damaged directory; expected a whole zip file");

  const std::vector<std::uint8_t> directory = bytes_at(directory_at_, length);
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (at + entry_bytes > directory.size() || number(directory, at, 4) != entry_mark) {
      fail("has a damaged directory; expected a whole zip file");
    }
    const std::size_t named = number(directory, at + 28, 2);
    const std::size_t next = at + entry_bytes + named + number(directory, at + 30, 2) + number(directory, at + 32, 2);
    if (next > directory.size()) fail("has a damaged directory; expected a whole zip file");
    Member member;
    member.name.assign(reinterpret_cast<const char*>(directory.data()) + at + entry_bytes, named);
    const std::uint32_t method = number(directory, at + 10, 2);
    member.deflated = method == Z_DEFLATED;
    member.checksum = number(directory, at + 16, 4);
    member.stored_bytes = number(directory, at + 20, 4);
    member.bytes = number(directory, at + 24, 4);
    member.header_at = number(directory, at + 42, 4);
    if ((method != 0 && method != Z_DEFLATED) || number(directory, at + 8, 2) % 2 == 1) {
      fail(
          "holds a member that is encrypted or compressed by other means than deflate; expected what numpy.savez or "
          "numpy.savez_compressed write");
    }
    if (member.bytes == 0xffffffff || member.stored_bytes == 0xffffffff || member.header_at == 0xffffffff) {
      fail("has an array of more than 4 GiB; expected less, or a folder with files .npy");
    }
    if (find(member.name) != nullptr) fail("holds two members of one name; expected each once");
    members_.push_back(std::move(member));
    at = next;
  }
}

const ZipFile::Member* ZipFile::find(const std::string& name) const {
  const auto found = std::ranges::find(members_, name, &Member::name);
  return found == members_.end() ? nullptr : &*found;
}

std::vector<std::uint8_t> ZipFile::bytes_at(std::uint64_t begin, std::uint64_t count) {
  if (begin > size_ || count > size_ - begin) fail("is cut short; expected a whole zip file");
  std::vector<std::uint8_t> bytes(count);
  file_.seekg(static_cast<std::streamoff>(begin));
  file_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(count));
  if (!file_) fail("cannot be read");
  return bytes;
}

// Position of its data, behind a header of its own.
std::uint64_t ZipFile::begin_of(const Member& member) {
  const std::vector<std::uint8_t> header = bytes_at(member.header_at, local_header_bytes);
  if (number(header, 0, 4) != header_mark) fail("has a damaged member; expected a whole zip file");
  const std::uint64_t begin = member.header_at + local_header_bytes + number(header, 26, 2) + number(header, 28, 2);
  const bool possible = member.deflated ? member.bytes <= member.stored_bytes * most_inflated + most_inflated
                                        : member.bytes == member.stored_bytes;
  if (!possible || begin + member.stored_bytes > directory_at_) {
    fail("has a damaged member; expected a whole zip file");
  }
  return begin;
}

std::vector<std::uint8_t> ZipFile::read(const Member& member, std::uint64_t most) {
  const std::uint64_t begin = begin_of(member), wanted = std::min(most, member.bytes);
  std::vector<std::uint8_t> bytes;
  if (member.deflated) {
    // Reads little more than needed: stored blocks lengthen the data only slightly.
    const std::uint64_t stored = std::min(member.stored_bytes, wanted + (wanted >> 3) + (1 << 16));
    std::vector<std::uint8_t> packed = bytes_at(begin, stored);
    bytes.resize(wanted);
    std::size_t filled = 0;
    if (!Inflater().run(packed, bytes, filled) || filled < wanted) {
      fail("has a damaged member; expected a whole zip file");
    }
  } else {
    bytes = bytes_at(begin, wanted);
  }
  if (wanted < member.bytes) return bytes;
  auto checksum = static_cast<std::uint32_t>(crc32(0, nullptr, 0));
  for (std::size_t at = 0; at < bytes.size(); at += 1u << 30) {
    const std::size_t count = std::min<std::size_t>(bytes.size() - at, 1u << 30);
    checksum = static_cast<std::uint32_t>(crc32(checksum, bytes.data() + at, static_cast<unsigned>(count)));
  }
  if (checksum != member.checksum) fail("has a damaged member, whose checksum differs; expected a whole zip file");
  return bytes;
}

}  // namespace ddl::data

#include "sim/record/whole_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/check.hpp"
#include "core/base/digest.hpp"

namespace ddl {
namespace fs = std::filesystem;

void write_whole(const std::string& file, const std::string& text) {
  write_whole(file, [&](std::ostream& stream) { stream << text; });
}

void write_whole(const std::string& file, const std::function<void(std::ostream&)>& write) {
  const fs::path target(file);
  const fs::path beside = target.parent_path() / ("." + target.filename().string() + "." + std::to_string(getpid()));
  std::error_code error;
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), error);
  errno = 0;
  std::ofstream stream(beside, std::ios::binary);
  try {
    write(stream);
  } catch (...) {
    fs::remove(beside, error);
    throw;
  }
  stream.close();
  const int reason = errno;
  if (stream) fs::rename(beside, target, error);
  if (!stream || error) {
    const std::string why = error ? error.message() : std::strerror(reason);
    fs::remove(beside, error);
    throw InputError(file + ": cannot be written: " + why);
  }
}

std::string content_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string program_digest() {
  Digest digest;
  digest.add(content_of("/proc/self/exe"));
  return digest.hex();
}

}  // namespace ddl

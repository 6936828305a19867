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
  std::error_code error;
  const fs::path target = fs::is_symlink(file, error) ? fs::weakly_canonical(file, error) : fs::path(file);
  // A device or a pipe is written to, not replaced.
  const bool is_place =
      !fs::exists(target, error) || fs::is_regular_file(target, error) || fs::is_directory(target, error);
  const std::string name = "." + target.filename().string() + "." + std::to_string(getpid());
  const fs::path beside = is_place ? target.parent_path() / name : target;
  const auto clean_up = [&] {
    if (is_place) fs::remove(beside, error);
  };
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), error);
  errno = 0;
  std::ofstream stream(beside, std::ios::binary);
  try {
    write(stream);
  } catch (...) {
    clean_up();
    throw;
  }
  stream.close();
  const int reason = errno;
  error.clear();
  if (stream && is_place) fs::rename(beside, target, error);
  if (!stream || error) {
    const std::string why = error ? error.message() : std::strerror(reason);
    clean_up();
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

#include "sim/results/writing/whole_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"

namespace ddl::results {
namespace fs = std::filesystem;

void write_whole(const std::string& file, const std::string& text) {
  write_whole(file, [&](std::ostream& stream) { stream << text; });
}

namespace {

bool is_standard_output(const std::string& file) {
  struct stat there = {};
  struct stat output = {};
  return stat(file.c_str(), &there) == 0 && fstat(STDOUT_FILENO, &output) == 0 && there.st_dev == output.st_dev &&
         there.st_ino == output.st_ino;
}

// Devices, pipes, and what the system keeps for open files (/dev/stderr) are written to, not replaced.
bool is_written_in_place(const fs::path& target) {
  std::error_code ignored;
  const fs::file_status status = fs::status(target, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) return true;
  const std::string folder = fs::absolute(target, ignored).lexically_normal().parent_path().string() + "/";
  return folder.starts_with("/proc/") || folder.starts_with("/dev/fd/");
}

// The file that links lead to, whether it exists or not.
fs::path target_of(const fs::path& file) {
  constexpr int most_links = 40;
  std::error_code ignored;
  fs::path target = file;
  for (int links = 0; fs::is_symlink(target, ignored) && !is_written_in_place(target); ++links) {
    if (links == most_links) throw InputError(file.string() + ": cannot be written: " + std::strerror(ELOOP));
    target = target.parent_path() / fs::read_symlink(target, ignored);
  }
  return target;
}

}  // namespace

void write_whole(const std::string& file, const std::function<void(std::ostream&)>& write) {
  // Another way to the same file would have a place of its own in it.
  if (is_standard_output(file)) {
    errno = 0;
    write(std::cout);
    if (!std::cout.flush()) fail_with(file + ": cannot be written", errno);
    return;
  }
  std::error_code error;
  const fs::path target = target_of(file);
  const bool in_place = is_written_in_place(target);
  const std::string name = "." + target.filename().string() + "." + std::to_string(getpid());
  const fs::path written = in_place ? target : target.parent_path() / name;
  const auto clean_up = [&] {
    if (!in_place) fs::remove(written, error);
  };
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), error);
  errno = 0;
  std::ofstream stream(written, std::ios::binary);
  try {
    write(stream);
  } catch (...) {
    clean_up();
    throw;
  }
  stream.close();
  const int reason = errno;
  error.clear();
  if (stream && !in_place) fs::rename(written, target, error);
  if (!stream || error) {
    const int why = error ? error.value() : reason;
    clean_up();
    fail_with(file + ": cannot be written", why);
  }
}

std::ostream& message_stream(const std::string& file) { return is_standard_output(file) ? std::cerr : std::cout; }

std::string content_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return std::move(text).str();
}

}  // namespace ddl::results

#include "sim/scenario/files/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"

namespace ddl::scenario {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

std::string text_of_file(const std::string& path, const TextFile& expected) {
  const auto fail = [&](const std::string& problem) {
    throw InputError(fmt::format("{}; expected {}", problem, expected.what));
  };
  const auto unreadable = [&] {
    const int error = errno;
    const std::string problem = fmt::format("cannot be read ({})", error_text(error));
    if (is_of_resources(error)) throw OutOfResources(fmt::format("{}: {}", path, problem));
    fail(problem);
  };
  // Opening a pipe waits for its writer, unless told not to.
  const Descriptor file(expected.pipes && path == standard_input
                            ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                            : open(path.c_str(), O_RDONLY | O_CLOEXEC | (expected.pipes ? 0 : O_NONBLOCK)));
  if (file.number() < 0 && errno == ENOENT) fail("no such file");
  struct stat status {};
  if (file.number() < 0 || fstat(file.number(), &status) != 0) unreadable();
  if (S_ISDIR(status.st_mode)) fail("is a folder");
  if (!expected.pipes && !S_ISREG(status.st_mode)) fail("is a pipe or a device");

  std::string text;
  char buffer[65536];
  for (;;) {
    const ssize_t count = read(file.number(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) unreadable();
    if (count == 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > expected.most_bytes) fail(fmt::format("is larger than {} MiB", expected.most_bytes >> 20));
  }
}

std::string name_of_file(const std::string& path, const char* otherwise) {
  return path == standard_input ? otherwise : std::filesystem::path(path).stem().string();
}

}  // namespace ddl::scenario

#include "lab/emulate/testbed/network_namespace.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "core/base/check.hpp"
#include "sim/process/child_process.hpp"

namespace ddl::emulate {
namespace {

constexpr const char* own_path = "/proc/thread-self/ns/net";
constexpr int not_found = 127;  // as shells say it

int open_own() {
  const int descriptor = open(own_path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw InputError(std::string("emulate: ") + own_path + ": " + std::strerror(errno));
  return descriptor;
}

[[noreturn]] void become(const std::vector<std::string>& words, int space, int input, int output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  if (setns(space, CLONE_NEWNET) != 0) std::_Exit(1);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvp(arguments[0], arguments.data());
  std::_Exit(not_found);
}

std::string all_of(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t n = read(descriptor, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

// Text that may exceed a pipe goes through an unnamed file.
int file_with(const std::string& text) {
  const int file = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      lseek(file, 0, SEEK_SET) != 0) {
    throw InputError(std::string("emulate: no scratch file in /tmp: ") + std::strerror(errno));
  }
  return file;
}

}  // namespace

NetworkNamespace NetworkNamespace::own() { return NetworkNamespace(open_own()); }

NetworkNamespace NetworkNamespace::make() {
  const NetworkNamespace home = own();
  if (unshare(CLONE_NEWNET) != 0) {
    throw InputError(std::string("emulate: network namespaces cannot be made here: ") + std::strerror(errno) +
                     "; expected root on a Linux that has them");
  }
  NetworkNamespace made(open_own());
  home.enter();
  return made;
}

NetworkNamespace::NetworkNamespace(NetworkNamespace&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

NetworkNamespace::~NetworkNamespace() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string NetworkNamespace::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor_);
}

void NetworkNamespace::enter() const {
  if (setns(descriptor_, CLONE_NEWNET) != 0) {
    throw InputError(std::string("emulate: no way into a network namespace: ") + std::strerror(errno));
  }
}

void NetworkNamespace::run(const std::vector<std::string>& words, const std::string& input) const {
  const int text = file_with(input);
  process::Pipe answer;
  const pid_t child = fork();
  if (child == 0) become(words, descriptor_, text, answer.writing());
  close(text);
  answer.close_end(1);
  if (child < 0) throw InputError(std::string("emulate: no child process: ") + std::strerror(errno));
  const std::string said = all_of(answer.reading());
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == not_found) {
    throw InputError("emulate: " + words[0] + ": not found; expected Debian's package iproute2");
  }
  if (status != 0) throw InputError("emulate: " + words[0] + " failed: " + said.substr(0, said.find('\n')));
}

}  // namespace ddl::emulate

#include "sim/runtime/child.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "core/base/check.hpp"
#include "sim/runtime/run.hpp"

namespace ddl {
namespace {

// The first byte of what a child sends says what the rest is.
enum Verdict : char { answer = 'A', input_error = 'I', run_failed = 'F', internal_error = 'X' };

class Pipe {
 public:
  Pipe() {
    if (pipe(ends_) != 0) throw InternalError(std::string("no pipe: ") + std::strerror(errno));
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_end(int end) {
    if (ends_[end] >= 0) close(ends_[end]);
    ends_[end] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

void write_all(int descriptor, const std::string& bytes) {
  for (std::size_t written = 0; written < bytes.size();) {
    const ssize_t n = write(descriptor, bytes.data() + written, bytes.size() - written);
    if (n < 0 && errno != EINTR) std::_Exit(1);
    if (n > 0) written += static_cast<std::size_t>(n);
  }
}

// Everything the child writes. A signal that reaches this process alone is passed on to it.
std::string read_all(int descriptor, int signals, pid_t child) {
  std::string bytes;
  char buffer[65536];
  while (true) {
    std::array<pollfd, 2> ready = {{{descriptor, POLLIN, 0}, {signals, POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) {
      throw InternalError(std::string("waiting for a run: ") + std::strerror(errno));
    }
    signalfd_siginfo signal{};
    if ((ready[1].revents & POLLIN) != 0 && read(signals, &signal, sizeof signal) == sizeof signal) {
      kill(child, static_cast<int>(signal.ssi_signo));
    }
    if (ready[0].revents == 0) continue;
    const ssize_t n = read(descriptor, buffer, sizeof buffer);
    if (n == 0) return bytes;
    if (n > 0) bytes.append(buffer, static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) throw InternalError(std::string("reading from a run: ") + std::strerror(errno));
  }
}

[[noreturn]] void be_child(const std::function<std::string()>& work, int descriptor) {
  std::string said;
  try {
    said = char{answer} + work();
  } catch (const InputError& error) {
    said = char{input_error} + std::string(error.what());
  } catch (const RunFailed& error) {
    said = char{run_failed} + std::string(error.what());
  } catch (const std::exception& error) {
    said = char{internal_error} + std::string(error.what());
  }
  write_all(descriptor, said);
  std::fflush(nullptr);
  // No exit handlers: they are the parent's, and SimGrid's would tear down what the system takes back anyway.
  std::_Exit(0);
}

// While a child works, Ctrl-C and termination are the child's to die of; the parent stays to tidy up.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigprocmask(SIG_BLOCK, &held, &before_);
    descriptor_ = signalfd(-1, &held, SFD_CLOEXEC);
    if (descriptor_ < 0) throw InternalError(std::string("no signal descriptor: ") + std::strerror(errno));
  }
  ~HeldSignals() {
    close(descriptor_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  void release_in_child() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  int descriptor() const { return descriptor_; }

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

}  // namespace

std::string in_child(const std::function<std::string()>& work) {
  Pipe pipe;
  std::fflush(nullptr);
  const HeldSignals signals;
  const pid_t child = fork();
  if (child < 0) throw InternalError(std::string("no child process: ") + std::strerror(errno));
  if (child == 0) {
    signals.release_in_child();
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // no run survives the program
    pipe.close_end(0);
    be_child(work, pipe.writing());
  }
  pipe.close_end(1);
  const std::string said = read_all(pipe.reading(), signals.descriptor(), child);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) throw Interrupted("interrupted; nothing was written");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) throw Interrupted("terminated; nothing was written");
  if (said.empty()) {
    const std::string how = WIFSIGNALED(status) ? std::string("by signal ") + strsignal(WTERMSIG(status))
                                                : "with exit code " + std::to_string(WEXITSTATUS(status));
    throw InternalError("the run's process ended " + how);
  }
  const std::string rest = said.substr(1);
  switch (said[0]) {
    case input_error:
      throw InputError(rest);
    case run_failed:
      throw RunFailed(rest);
    case internal_error:
      throw InternalError(rest);
    default:
      return rest;
  }
}

}  // namespace ddl

#include "sim/jobs/process/child_process.hpp"

#include <malloc.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "core/base/check.hpp"
#include "sim/jobs/process/failures.hpp"

#ifdef DDLSIM_COVERAGE
extern "C" void __gcov_dump();
#endif

namespace ddl::process {
namespace {

// Writes the coverage counts, which are normally written at exit: the child leaves without exit handlers.
void note_coverage() {
#ifdef DDLSIM_COVERAGE
  __gcov_dump();
#endif
}

// The first byte that a child sends says what follows.
enum Verdict : char { answer_follows = 'A', input_error = 'I', run_failed = 'F', internal_error = 'X' };

void write_all(int descriptor, const std::string& bytes) {
  for (std::size_t written = 0; written < bytes.size();) {
    const ssize_t n = write(descriptor, bytes.data() + written, bytes.size() - written);
    if (n < 0 && errno != EINTR) std::_Exit(1);
    if (n > 0) written += static_cast<std::size_t>(n);
  }
}

// What a piece of work lets go of is kept for its next need: the kernel would clear it page by page each time.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
}

[[noreturn]] void be_child(const std::function<std::string()>& work, int descriptor) {
  keep_freed_memory();
  std::string said;
  try {
    said = char{answer_follows} + work();
  } catch (const InputError& error) {
    said = char{input_error} + std::string(error.what());
  } catch (const RunFailed& error) {
    said = char{run_failed} + std::string(error.what());
  } catch (const std::bad_alloc&) {
    said = char{run_failed} + std::string("out of memory; expected fewer workers, a smaller model or a larger machine");
  } catch (const std::exception& error) {
    said = char{internal_error} + std::string(error.what());
  }
  write_all(descriptor, said);
  std::fflush(nullptr);
  note_coverage();
  // Without exit handlers: they are the parent's, and SimGrid's would free what the system frees anyway.
  std::_Exit(0);
}

}  // namespace

Pipe::Pipe() {
  if (pipe(ends_) != 0) throw InternalError(std::string("no pipe: ") + std::strerror(errno));
}
Pipe::~Pipe() {
  close_end(0);
  close_end(1);
}
void Pipe::close_end(int end) {
  if (ends_[end] >= 0) close(ends_[end]);
  ends_[end] = -1;
}

ChildProcess::ChildProcess(const std::function<std::string()>& work, const std::function<void()>& before) {
  std::fflush(nullptr);
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ < 0) throw InternalError(std::string("no child process: ") + std::strerror(errno));
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a run must not outlive the program
    if (getppid() != parent) std::_Exit(1);
    before();
    pipe_.close_end(0);
    be_child(work, pipe_.writing());
  }
  pipe_.close_end(1);
}

ChildProcess::~ChildProcess() {
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  wait();
}

bool ChildProcess::listen() {
  char buffer[65536];
  const ssize_t n = read(pipe_.reading(), buffer, sizeof buffer);
  if (n < 0 && errno != EINTR) throw InternalError(std::string("reading from a run: ") + std::strerror(errno));
  if (n > 0) said_.append(buffer, static_cast<std::size_t>(n));
  return n != 0;
}

std::string ChildProcess::answer() {
  const int status = wait();
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) throw Interrupted("interrupted; nothing was written");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP) throw Interrupted("hung up; nothing was written");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) throw Interrupted("terminated; nothing was written");
  if (status != 0 || said_.empty()) {
    const std::string how = WIFSIGNALED(status) ? std::string("by signal ") + strsignal(WTERMSIG(status))
                                                : "with exit code " + std::to_string(WEXITSTATUS(status));
    const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;  // perhaps for lack of memory
    if (killed) throw InternalError("the run's process was killed; was the machine out of memory?");
    throw ChildDied("the run's process ended " + how);
  }
  std::string rest = said_.substr(1);
  switch (said_[0]) {
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

int ChildProcess::wait() {
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
  return status;
}

}  // namespace ddl::process

#include "sim/process/child_process.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"
#include "sim/process/failures.hpp"
#include "sim/process/limit_signals.hpp"

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

// The first byte of a child's answer: the kind of what follows.
enum Verdict : char {
  answer_follows = 'A',
  input_error = 'I',
  run_failed = 'F',
  out_of_resources = 'R',
  internal_error = 'X'
};

void write_all(int descriptor, const std::string& bytes) {
  for (std::size_t written = 0; written < bytes.size();) {
    const ssize_t n = write(descriptor, bytes.data() + written, bytes.size() - written);
    if (n < 0 && errno != EINTR) std::_Exit(1);
    if (n > 0) written += static_cast<std::size_t>(n);
  }
}

// Keeps freed memory for the next piece of work: the kernel would clear it page by page each time.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
}

std::string said_by(const std::function<std::string()>& work) {
  const auto say = [](Verdict verdict, const std::exception& error) {
    return char{verdict} + std::string(error.what());
  };
  try {
    try {
      return char{answer_follows} + work();
    } catch (...) {
      rethrow_as_ours();
    }
  } catch (const InputError& error) {
    return say(input_error, error);
  } catch (const RunFailed& error) {
    return say(run_failed, error);
  } catch (const OutOfResources& error) {
    return say(out_of_resources, error);
  } catch (const std::exception& error) {
    return say(internal_error, error);
  }
}

[[noreturn]] void be_child(const std::function<std::string()>& work, int descriptor) {
  leave_limits_to_parent();
  keep_freed_memory();
  write_all(descriptor, said_by(work));
  std::fflush(nullptr);
  note_coverage();
  // No exit handlers: they are the parent's, and SimGrid's would only free memory that the system frees anyway.
  std::_Exit(0);
}

// Words of SimGrid, its file reader or a destructor before they abort for lack of memory.
bool is_about_memory(const std::string& words) {
  for (const char* about : {"alloc", "surfxml_bufferstack", "out of memory"}) {
    if (words.find(about) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

KeptErrors::KeptErrors() : descriptor_(memfd_create("errors", MFD_CLOEXEC)) {
  if (descriptor_ < 0) fail_with("no place for a process's errors", errno);
}
KeptErrors::~KeptErrors() { close(descriptor_); }
void KeptErrors::begin() const { dup2(descriptor_, STDERR_FILENO); }
std::string KeptErrors::text_from(off_t begin) const {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) return "";
  std::string text(static_cast<std::size_t>(std::max<off_t>(0, status.st_size - begin)), ' ');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, pread(descriptor_, text.data(), text.size(), begin))));
  return text;
}
void KeptErrors::pass_on() {
  const std::string text = text_from(passed_on_);
  const std::string plain = text.substr(0, text.find(last_words_mark));
  write_all(STDERR_FILENO, plain);
  passed_on_ += static_cast<off_t>(plain.size());
}
std::string KeptErrors::last_words() const {
  const std::string text = text_from(passed_on_);
  return text.empty() ? text : text.substr(1, text.find('\n') - 1);
}

Pipe::Pipe() {
  if (pipe(ends_) != 0) fail_with("no pipe", errno);
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
  if (process_ < 0) fail_with("no child process", errno);
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a run must not outlive the program
    if (getppid() != parent) std::_Exit(1);
    errors_.begin();
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
  if (n < 0 && errno != EINTR) fail_with("reading from a run", errno);
  if (n > 0) said_.append(buffer, static_cast<std::size_t>(n));
  return n != 0;
}

std::string ChildProcess::answer() {
  const int status = wait();
  errors_.pass_on();
  if (status != 0 || said_.empty()) tell_death(status);
  std::string rest = said_.substr(1);
  switch (said_[0]) {
    case input_error:
      throw InputError(rest);
    case run_failed:
      throw RunFailed(rest);
    case out_of_resources:
      throw OutOfResources(rest);
    case internal_error:
      throw InternalError(rest);
    default:
      return rest;
  }
}

void ChildProcess::tell_death(int status) const {
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGINT) throw Interrupted("interrupted; nothing was written");
  if (signal == SIGHUP) throw Interrupted("hung up; nothing was written");
  if (signal == SIGTERM) throw Interrupted("terminated; nothing was written");
  const bool out_of_time = processor_s_ > most_processor_seconds() - 0.1;
  if (signal == SIGXCPU || (signal == SIGKILL && out_of_time)) throw OutOfResources(out_of_processor_time());
  if (signal == SIGKILL) throw OutOfResources("the run's process was killed; was the machine out of memory?");
  const std::string words = errors_.last_words();
  if (words.starts_with("Failed to protect stack")) {
    throw OutOfResources(
        "no memory mappings are left for actors' stacks; expected fewer workers, or a larger vm.max_map_count");
  }
  if (is_about_memory(words)) throw OutOfResources(out_of_memory());
  const std::string how = signal != 0 ? std::string("by signal ") + strsignal(signal)
                                      : "with exit code " + std::to_string(WEXITSTATUS(status));
  throw ChildDied("the run's process ended " + how + (words.empty() ? "" : ": " + words), words);
}

int ChildProcess::wait() {
  int status = 0;
  rusage used{};
  while (wait4(process_, &status, 0, &used) < 0 && errno == EINTR) {
  }
  for (const timeval& time : {used.ru_utime, used.ru_stime}) {
    processor_s_ += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  }
  process_ = 0;
  return status;
}

}  // namespace ddl::process

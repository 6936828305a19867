// One run is one process: work that needs SimGrid's engine is done in a forked child, which returns bytes.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace ddl::process {

// Runs `work` in a child and returns its answer. Exceptions of this program (InputError, RunFailed, InternalError) are
// rethrown here; other exceptions and a child that dies become InternalError; Ctrl-C becomes Interrupted. There must be
// no other threads at the call.
std::string in_child(const std::function<std::string()>& work);

// The outcome of one of many jobs.
class ChildAnswer {
 public:
  explicit ChildAnswer(std::string text) : text_(std::move(text)) {}
  explicit ChildAnswer(std::exception_ptr failure) : failure_(std::move(failure)) {}  // NOLINT(*-throw-keyword-missing)

  // The work's answer; or throws like in_child.
  const std::string& text() const {
    if (failure_) std::rethrow_exception(failure_);
    return text_;
  }

 private:
  std::string text_;
  std::exception_ptr failure_;
};

// Jobs at work, each in a child and known by a number. While this object lives, only wait() notices Ctrl-C.
class Children {
 public:
  Children();
  ~Children();  // ends them
  void start(std::size_t job, const std::function<std::string()>& work);
  void end(std::size_t job);  // without an answer
  std::size_t size() const;
  // Waits until one or more have ended, `input` (a descriptor; -1: none) can be read or has ended, or `milliseconds`
  // have passed; passes on what they wrote to the standard error, and calls done(job, answer) for each that has ended.
  // True if `input` is ready. Throws Interrupted.
  static constexpr int between_looks = 100;  // milliseconds
  bool wait(const std::function<void(std::size_t, const ChildAnswer&)>& done, int milliseconds = between_looks,
            int input = -1);

 private:
  struct AtWork;
  std::unique_ptr<AtWork> at_work_;
};

// The same for jobs 0 .. jobs-1, `at_once` at a time. Called in this process: `start(job)` before each job, which
// returns the child's work, or nothing to skip the job; and `done(job, answer)` as each ends, in any order. An
// exception from either ends the other jobs and is rethrown, as is Interrupted at Ctrl-C.
void in_children(std::size_t jobs, int at_once, const std::function<std::function<std::string()>(std::size_t)>& start,
                 const std::function<void(std::size_t, const ChildAnswer&)>& done);

}  // namespace ddl::process

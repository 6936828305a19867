// A forked process that does one piece of work and returns bytes: the implementation of child.hpp.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <functional>
#include <string>

namespace ddl::process {

class Pipe {
 public:
  Pipe();
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_end(int end);

 private:
  int ends_[2] = {-1, -1};
};

// Starts a library's message to a child's standard error before it ends the process.
inline constexpr char last_words_mark = '\1';

// Keeps a process's output to its standard error, which may exceed a pipe.
class KeptErrors {
 public:
  KeptErrors();
  ~KeptErrors();
  KeptErrors(const KeptErrors&) = delete;
  KeptErrors& operator=(const KeptErrors&) = delete;

  void begin() const;  // in that process
  // Writes the new part to the standard error of this process, up to the last words.
  void pass_on();
  // The first line of these; empty if there are none.
  std::string last_words() const;

 private:
  std::string text_from(off_t begin) const;

  int descriptor_;
  off_t passed_on_ = 0;
};

// The process outlives neither this object nor the program. There must be no other threads when it is created.
class ChildProcess {
 public:
  // The child calls `before`, then sends what `work` returns.
  ChildProcess(const std::function<std::string()>& work, const std::function<void()>& before);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int output() const { return pipe_.reading(); }
  void pass_on(int signal) const { kill(process_, signal); }
  // Reads what the child has sent since, and waits if there is nothing; false at the end.
  bool listen();
  void pass_on_errors() { errors_.pass_on(); }
  // Its whole answer, after listen() has returned false; or throws the child's exception.
  std::string answer();

 private:
  int wait();
  [[noreturn]] void tell_death(int status) const;

  KeptErrors errors_;
  Pipe pipe_;
  pid_t process_ = 0;
  double processor_s_ = 0;  // processor time used
  std::string said_;
};

}  // namespace ddl::process

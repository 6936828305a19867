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
  // Its whole answer, after listen() has returned false; or throws what the child threw.
  std::string answer();

 private:
  int wait();

  Pipe pipe_;
  pid_t process_ = 0;
  std::string said_;
};

}  // namespace ddl::process

// A forked process that does one piece of work and hands back bytes: what child.hpp is made of.
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

// It outlives neither this object nor the program. No thread may run when it is made.
class ChildProcess {
 public:
  // `before` is done first in the child, which then answers with what `work` returns.
  ChildProcess(const std::function<std::string()>& work, const std::function<void()>& before);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int output() const { return pipe_.reading(); }
  void pass_on(int signal) const { kill(process_, signal); }
  // Takes what the child has said since, waiting if that is nothing; false once it has said all.
  bool listen();
  // What it said, once it has said all; or throws what it threw.
  std::string answer();

 private:
  int wait();

  Pipe pipe_;
  pid_t process_ = 0;
  std::string said_;
};

}  // namespace ddl::process

// Ctrl-C, termination and a closed terminal, held back while something must not be cut in two.
#pragma once

#include <signal.h>

namespace ddl::process {

// While this lives, these signals wait, except those that the program ignores anyway (started with nohup, or in a
// script's background); whoever waits for them may take them. One that nobody took arrives when the outermost ends.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

  const sigset_t& signals() const { return held_; }
  // For a child process, which such a signal ends, however deep its parent holds them.
  void release() const;

 private:
  sigset_t held_, before_;
};

}  // namespace ddl::process

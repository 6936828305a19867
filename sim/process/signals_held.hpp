// Ctrl-C, termination and a closed terminal, held back during work that must not be interrupted.
#pragma once

#include <signal.h>

namespace ddl::process {

// Blocks these signals while it lives, except those that the program ignores, as under nohup or in a script's
// background. A signal stays pending until code reads it, as in_children does; if nothing reads it, it is delivered
// when the outermost object ends.
class SignalsHeld {
 public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

  const sigset_t& signals() const { return held_; }
  // Unblocks them in a child process, however many of these objects its parent has.
  void release() const;

 private:
  sigset_t held_, before_;
};

}  // namespace ddl::process

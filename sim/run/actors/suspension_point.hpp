// Guard for each call that may suspend one of a node's actors: it begins with `enter` and ends with `leave`.
#pragma once

#include "sim/network/quiescence.hpp"

namespace ddl::run {

// Thrown in an actor of a host that has crashed, which unwinds it.
struct Crashed {};

class SuspensionPoint {
 public:
  explicit SuspensionPoint(network::Quiescence& quiescence) : quiescence_(quiescence) {}

  void enter() {
    quiescence_.do_postponed();
    leave();
  }
  // After whatever may have taken simulated time.
  void leave() const {
    if (crashed_) throw Crashed();
  }
  // From now on the host's actors are unwound when they have their turn.
  void crash() { crashed_ = true; }
  void restart() { crashed_ = false; }

 private:
  network::Quiescence& quiescence_;
  bool crashed_ = false;
};

}  // namespace ddl::run

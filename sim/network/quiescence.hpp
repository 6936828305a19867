// What an actor sleeps on until another rings, and the account of who will go on.
#pragma once

#include <functional>
#include <simgrid/s4u/Semaphore.hpp>
#include <utility>
#include <vector>

namespace ddl::network {

// Whether anything can still happen, apart from messages: actors that compute or wait for a time, and actors that have
// been woken (or started) and not yet run. When both are none and the network is idle, no actor will ever go on.
//
// Waking an actor hands control to SimGrid, so a verb of Node that promises not to wait leaves its wake-ups here; they
// are done when its actor next waits.
class Quiescence {
 public:
  int busy = 0;
  int waking = 0;

  void later(std::function<void()> wake_up) {
    ++waking;
    postponed_.push_back(std::move(wake_up));
  }
  void do_postponed() {
    while (!postponed_.empty()) {
      for (const auto& wake_up : std::exchange(postponed_, {})) {
        wake_up();
        --waking;
      }
    }
  }

 private:
  std::vector<std::function<void()>> postponed_;  // of the one actor that runs
};

// Rung as often as waited for.
class Signal {
 public:
  explicit Signal(Quiescence& quiescence) : quiescence_(quiescence), semaphore_(simgrid::s4u::Semaphore::create(0)) {}

  void ring() {
    ++quiescence_.waking;
    semaphore_->release();
  }
  // All of them are accounted for before the first wakes.
  static void ring_all(const std::vector<Signal*>& signals) {
    for (Signal* signal : signals) ++signal->quiescence_.waking;
    for (Signal* signal : signals) signal->semaphore_->release();
  }
  void wait() {
    semaphore_->acquire();
    --quiescence_.waking;
  }
  // False when `seconds` > 0 of simulated time went by without a ring.
  bool wait_for(double seconds) {
    if (semaphore_->acquire_timeout(seconds)) return false;
    --quiescence_.waking;
    return true;
  }
  // Takes back a ring that came in the instant in which wait_for gave up.
  void cancel_ring() { --quiescence_.waking; }

 private:
  Quiescence& quiescence_;
  simgrid::s4u::SemaphorePtr semaphore_;
};

}  // namespace ddl::network

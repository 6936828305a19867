// Detects that nothing will happen by itself any more, and lets actors sleep until another wakes them.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <simgrid/s4u/Semaphore.hpp>
#include <utility>
#include <vector>

namespace ddl::network {

// Two counts: pending activities, which simulated time will end (computations, waits for a time, messages), and
// expected turns, of actors that have been woken or started and have not run since. While both are zero, no actor will
// go on by itself.
//
// Waking an actor hands control to SimGrid. So calls of Node that promise not to wait leave their wake-ups here, and
// they are done when the actor next waits.
class Quiescence {
 public:
  // `call` is made within ends(), each time that nothing is left under way. It may wake actors: the turn of ends()'s
  // caller still counts as expected. It is not made while an actor is unwound, as that must not wait.
  void when_nothing_is_under_way(std::function<void()> call) { nothing_under_way_ = std::move(call); }

  void begins() { ++under_way_; }
  void ends(std::int64_t count = 1) {
    under_way_ -= count;
    if (under_way_ > 0 || std::uncaught_exceptions() > 0 || !nothing_under_way_) return;
    expect_turn();
    nothing_under_way_();
    has_turn();
  }
  bool is_anything_under_way() const { return under_way_ > 0; }

  void expect_turn() { ++turns_to_come_; }
  void has_turn() { --turns_to_come_; }
  bool is_any_turn_expected() const { return turns_to_come_ > 0; }

  void later(std::function<void()> wake_up) {
    expect_turn();
    postponed_.push_back(std::move(wake_up));
  }
  void do_postponed() {
    while (!postponed_.empty()) {
      for (const auto& wake_up : std::exchange(postponed_, {})) {
        wake_up();
        has_turn();
      }
    }
  }

 private:
  std::int64_t under_way_ = 0, turns_to_come_ = 0;
  std::function<void()> nothing_under_way_;
  std::vector<std::function<void()>> postponed_;  // by the one running actor
};

// Under way while it lives: a node computes, or waits for a time.
class Activity {
 public:
  explicit Activity(Quiescence& quiescence) : quiescence_(quiescence) { quiescence_.begins(); }
  ~Activity() { quiescence_.ends(); }
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

 private:
  Quiescence& quiescence_;
};

// Exactly one wait() for each ring().
class Signal {
 public:
  explicit Signal(Quiescence& quiescence) : quiescence_(quiescence), semaphore_(simgrid::s4u::Semaphore::create(0)) {}

  void ring() {
    quiescence_.expect_turn();
    semaphore_->release();
  }
  // Counts all turns before the first actor wakes.
  static void ring_all(const std::vector<Signal*>& signals) {
    for (Signal* signal : signals) signal->quiescence_.expect_turn();
    for (Signal* signal : signals) signal->semaphore_->release();
  }
  void wait() {
    semaphore_->acquire();
    quiescence_.has_turn();
  }
  // False when `seconds` > 0 of simulated time went by without a ring.
  bool wait_for(double seconds) {
    if (semaphore_->acquire_timeout(seconds)) return false;
    quiescence_.has_turn();
    return true;
  }
  // Takes back a ring that came in the instant in which wait_for gave up.
  void cancel_ring() { quiescence_.has_turn(); }

 private:
  Quiescence& quiescence_;
  simgrid::s4u::SemaphorePtr semaphore_;
};

}  // namespace ddl::network

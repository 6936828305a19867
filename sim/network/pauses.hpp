// The end of an instant. SimGrid's own order of events in one instant is arbitrary, and differs between nodes. So an
// actor whose computing or sending has ended waits here for the messages that arrive in the same instant.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sim/network/quiescence.hpp"

namespace ddl::network {

class Pauses {
 public:
  // Reason for an actor's pause. In one instant, actors after computing go on first, by node, then those after sending.
  // Those after everything go on last, however often others pause in it.
  enum class After { computing, sending, everything };
  static constexpr int no_node = -1;

  // `ask_for_end` arranges a call of end_all() in this instant, once no actor can go on.
  Pauses(Quiescence& quiescence, std::function<void()> ask_for_end)
      : quiescence_(quiescence), ask_for_end_(std::move(ask_for_end)) {}

  // Suspends the calling actor of `node`. It goes on in the same instant, when every message that arrives in it has
  // been delivered and taken, or else when end_those_of(node) is called.
  void wait(int node, After after);
  void count_arrival() { ++arrived_; }
  // Lets all waiting actors check whether anything has happened since their last check.
  void end_all();
  // Ends the pauses of a host that goes; the caller then rings their signals.
  void end_those_of(int node, std::vector<Signal*>& woken);

 private:
  // Lies on the waiting actor's stack.
  struct Pause {
    After after;
    int node;
    Signal end;
    bool host_goes = false;
  };

  Quiescence& quiescence_;
  const std::function<void()> ask_for_end_;
  std::vector<Pause*> pauses_;  // under way
  std::int64_t arrived_ = 0;    // messages
  std::int64_t ended_ = 0;      // pauses, except those after everything
};

}  // namespace ddl::network

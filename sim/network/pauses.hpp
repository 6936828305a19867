// Actors that go on in an instant only when all that arrives in it has been taken. SimGrid's own order of what ends in
// one instant means nothing, and is not the same at every node.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/network/quiescence.hpp"

namespace ddl::network {

class Pauses {
 public:
  enum class After { computing, sending, everything };  // in the order in which they go on

  explicit Pauses(Quiescence& quiescence) : quiescence_(quiescence) {}

  static constexpr int no_node = -1;

  // Suspends the calling actor of `node` until end_all() has found nothing that arrived since, or the node goes. After
  // everything: nor any other pause that has ended since.
  // `wake_up` has end_all() called when no actor can go on any more in this instant.
  void wait(int node, After after, const std::function<void()>& wake_up);
  void count_arrival() { ++arrived_; }
  void end_all();
  void end_those_of(int node, std::vector<Signal*>& woken);

 private:
  struct Pause {
    After after;
    int node = 0;
    Signal* end = nullptr;
    bool* node_goes = nullptr;
  };

  Quiescence& quiescence_;
  std::vector<Pause> pauses_;  // in this instant
  std::int64_t arrived_ = 0;   // messages
  std::int64_t ended_ = 0;     // pauses, but for those after everything
};

}  // namespace ddl::network

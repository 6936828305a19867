// What an Ako worker does when the queue of messages to a peer is full.
#pragma once

#include <cstddef>

#include "core/node/node.hpp"
#include "core/systems/ako/ako.hpp"

namespace ddl::systems {

class AkoQueues {
 public:
  // `parts` into which the worker cuts the vector.
  AkoQueues(Node& node, const AkoParams& params, std::size_t parts);

  // W. Overflow "block": until no peer's queue is full.
  void wait_for_room();
  // Overflow "merge": a full queue takes the part's sum into the one that waits there.
  void send(int peer, const Message& part_of_sum);

 private:
  Node& node_;
  const Overflow overflow_;
  const std::size_t depth_;
  const std::size_t most_;  // messages that a queue may ever hold
};

}  // namespace ddl::systems

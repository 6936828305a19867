// One node's part of a training system.
#pragma once

#include <cstdint>
#include <vector>

#include "core/node/message.hpp"

namespace ddl {

// A model that votes, and the weight of its vote.
struct Voter {
  Payload model;
  double weight = 0;
};

// A program outlives every actor of its node, so that its actors may refer to its members.
class Program {
 public:
  virtual ~Program() = default;
  virtual void run() = 0;  // a worker's training loop, or a server's service (which need not return)
  // The model that this worker is judged by, as long as weights(); null: weights(), or timing only. Called while none
  // of the node's actors runs.
  virtual Payload judged_model() const { return nullptr; }
  // Finished steps that no other node has anything of, and that are lost if this host goes now. Called likewise.
  virtual std::int64_t steps_unshared() const { return 0; }
  // The ensemble that the run is judged by, if node 0's program has one. Empty: each node's weights().
  virtual std::vector<Voter> ensemble() const { return {}; }
};

}  // namespace ddl

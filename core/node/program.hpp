// One node's part of a training system.
#pragma once

#include <vector>

#include "core/node/message.hpp"

namespace ddl {

// A model whose answers are votes, and what each weighs.
struct Voter {
  Payload model;
  double weight = 0;
};

// A program outlives every actor of its node, so that its actors may refer to its members.
class Program {
 public:
  virtual ~Program() = default;
  virtual void run() = 0;  // a worker's training loop, or a server's service (which need not return)
  // The model by which this worker is judged, as long as weights(); null: weights(), or timing only. Called while none
  // of the node's actors runs.
  virtual Payload judged_model() const { return nullptr; }
  // What the run is judged by, if the program of node 0 says so: an ensemble. Empty: each node's weights().
  virtual std::vector<Voter> ensemble() const { return {}; }
};

}  // namespace ddl

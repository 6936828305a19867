// What a training system sends per step, for analytic bounds beside the simulation.
#pragma once

#include <vector>

namespace ddl {

// `models` whole models (or a fraction of one) from node to node, per step of every worker.
struct Flow {
  int source = 0, target = 0;
  double models = 0;
  double messages = 1;  // that carry them, each with its header
  // Whether its source waits until it is there; otherwise its target does, or its source on the way to a server.
  bool source_waits = false;
};

enum class Pace {
  lockstep,   // all workers go through gradient and phases together
  free,       // each worker goes through them alone
  overlapped  // messages travel while the next gradient is computed
};

// Traffic that is not listed leaves a bound weaker. Listed is only what every step must send and later steps sooner or
// later wait for: with a queue that may grow without limit before it, runs would beat the bound. Schemes in which all
// workers may send to all list nothing for more workers than this.
constexpr int most_workers_all_to_all = 300;

struct Traffic {
  Pace pace = Pace::free;
  std::vector<std::vector<Flow>> phases;  // in order; a phase's flows travel at the same time
  // Of a gradient, what a step of each worker computes; empty: a whole one.
  std::vector<double> compute_shares = {};
  bool random_peers = false;  // flows are means over peers drawn at random
};

}  // namespace ddl

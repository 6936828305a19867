// What a training system sends per step, for analytic bounds beside the simulation.
#pragma once

#include <utility>
#include <vector>

namespace ddl {

// `models` whole models (or a fraction of one) from node to node, per step of every worker.
struct Flow {
  int source = 0, target = 0;
  double models = 0;
  double messages = 1;  // that carry them, each with its header
  // True: the source waits until it has arrived. False: the target waits for it, or a source which pushes to a server.
  bool source_waits = false;
};

enum class Pace {
  lockstep,   // all workers go through gradient and phases together
  free,       // each worker goes through them alone
  overlapped  // messages travel while the next gradient is computed
};

// List only messages that every step sends and that some later step waits for: one that no step waits for would make
// the bound larger than what a run takes. One that is left out only makes the bound weaker. Systems in which all
// workers may send to all list nothing for more workers than this.
constexpr int most_workers_all_to_all = 300;

using Phases = std::vector<std::vector<Flow>>;  // in order; a phase's flows travel at the same time

struct Traffic {
  Pace pace = Pace::free;
  Phases phases;
  // Of a gradient, what a step of each worker computes; empty: a whole one.
  std::vector<double> compute_shares = {};
  bool random_peers = false;  // flows are means over peers drawn at random
  // Sources and targets of messages for which no step waits, and which are therefore no flows. They need routes as
  // well.
  std::vector<std::pair<int, int>> unlisted = {};
  // How many messages that are no flows a step of every worker sends at most, where that is known: for estimates of a
  // run's cost.
  double unlisted_messages = 0;
};

}  // namespace ddl

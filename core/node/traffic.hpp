// Messages of a training system per step, for analytic bounds beside the simulation.
#pragma once

#include <utility>
#include <vector>

namespace ddl {

// `models` whole models (or a fraction of one) from node to node, per step of every worker.
struct Flow {
  int source = 0, target = 0;
  double models = 0;
  double messages = 1;  // messages that carry them, each with its header
  // True: the source waits for delivery. False: the target waits, or a source that pushes to a server.
  bool source_waits = false;
};

enum class Pace {
  lockstep,   // all workers go through gradient and phases together
  free,       // each worker goes through them alone
  overlapped  // messages travel while the next gradient is computed
};

// List only messages that every step sends and some later step waits for: others would raise the bound above real run
// times, while a missing one only weakens it. Systems in which any worker may send to any other list nothing for more
// workers than this.
constexpr int most_workers_all_to_all = 300;

using Phases = std::vector<std::vector<Flow>>;  // in order; a phase's flows travel at the same time

struct Traffic {
  Pace pace = Pace::free;
  Phases phases;
  // Share of a gradient that a step of each worker computes; empty: a whole one.
  std::vector<double> compute_shares = {};
  bool random_peers = false;  // flows are means over peers drawn at random
  // Sources and targets of messages for which no step waits: no flows, but they need routes.
  std::vector<std::pair<int, int>> unlisted = {};
  // Upper bound on messages beside flows that a step of every worker sends, where known: for estimates of a run's cost.
  double unlisted_messages = 0;
  double unlisted_models = 0;  // which each worker sends in them, where known
  int unlisted_phases = 1;     // in which they are sent
};

}  // namespace ddl

// Everything a run found out, as plain rows: what the result files are written from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/nn/model.hpp"
#include "core/node/record.hpp"
#include "sim/network/bounds.hpp"
#include "sim/network/totals.hpp"
#include "sim/platform/network_plan.hpp"
#include "sim/run/recorded/recordings.hpp"
#include "sim/run/rows/rows.hpp"
#include "sim/run/rows/trace.hpp"
#include "sim/scenario/model_choice.hpp"

namespace ddl::run {

// Where training turned into numbers that are none.
struct Divergence {
  int node = 0;           // a worker, or a server when only its model shows it
  std::int64_t step = 0;  // the worker's under way, or its finished ones at the end; for a server those of all workers
  double time_s = 0;
  std::string what;  // non-finite part: "weights", "loss", "gradient", "test loss"
};

// Counts of a scenario's faults and of their losses.
struct FaultCounts {
  std::int64_t crashes = 0, restarts = 0, joins = 0, leaves = 0;
  std::int64_t steps_lost = 0;      // begun and not finished
  std::int64_t steps_unshared = 0;  // finished, and in no sum when their host went
  // Transmissions that were sent again; what was queued, on the wire or sent when a host went.
  std::int64_t messages_lost = 0;
  std::int64_t messages_sent_again = 0;  // the first kind of these
  double bytes_lost = 0;                 // lost on the wire, as whole messages
};

// A node goes on without a worker that it has not heard of for too long.
struct GivenUp {
  int by = 0, worker = 0;
  double time_s = 0;
};

// Facts about a run that was measured instead of simulated. Results pass them on as they are.
struct Measured {
  std::string how, cost;  // JSON objects: "measured" of run.json and of timing.json
  std::string network;    // a line of the closing table
};

// See Learned: what decides it beside learning_settings(), and itself.
struct LearnedBytes {
  std::string from, bytes;
};
template <class A>
void members(A& archive, LearnedBytes& learned) {
  archive(learned.from, learned.bytes);
}

struct RunResult {
  std::vector<std::string> nodes;  // names; workers first
  int workers = 0;
  std::vector<CurveRow> curve;
  std::vector<IterationRow> iterations;  // by worker, then iteration
  std::vector<TrafficRow> traffic;
  std::vector<PairRow> pairs;               // by source, then target; only pairs that talked
  std::vector<Answer> answers;              // to requests, as they came
  std::vector<std::int64_t> steps;          // finished, per worker
  std::vector<double> compute_s;            // spent computing, per worker
  bool by_layers = false;                   // some worker exchanged beside the passes through the layers
  std::vector<std::vector<float>> weights;  // final, per worker; one if they share it, or of servers
  bool weights_at_servers = false;
  Recordings recorded;                            // as the scenario asks
  std::string settings;                           // in effect, see scenario::settings_of
  std::optional<scenario::ProgramFacts> program;  // the one that computed the model
  double simulated_s = 0;
  double samples = 0, epochs = 0;
  double bytes_sent = 0, bytes_delivered = 0;
  std::int64_t messages_sent = 0;
  std::int64_t longest_queue = 0;
  // At the end, as in the curve: of workers' own models, where they are judged by another. Empty elsewhere.
  std::vector<CurveRow> replicas;
  std::optional<double> consensus_distance;  // sum over workers of |x_i - mean|^2, over n
  std::string stopped_by;  // "time", "iterations", "epochs", "samples", "accuracy", "loss", "diverged"
  std::optional<Divergence> divergence;
  std::optional<FaultCounts> faults;    // if the scenario has any
  std::vector<TraceInterval> absences;  // hosts'
  std::vector<GivenUp> given_up;        // by node, then time
  network::Bounds bounds;
  std::optional<platform::NetworkPlan> network;  // none: measured
  std::optional<Trace> trace;                    // if the scenario asks for it
  std::optional<Measured> measured;              // none: simulated
  bool is_replay = false;                        // it computed no gradients
  std::optional<LearnedBytes> learned;           // if it was asked for, and there is no divergence
  // These may differ between two runs:
  std::int64_t events = 0;
  double math_s = 0, evaluation_s = 0;  // thread seconds; the second are part of the first
  double wall_s = 0, cpu_s = 0;
  double peak_memory_bytes = 0;
};

}  // namespace ddl::run

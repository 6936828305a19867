// How much there is to do in a run, as far as that can be known before, and what it may cost: so that no run goes on
// for ever unnoticed.
#pragma once

#include <cstddef>

#include "core/node/node.hpp"
#include "core/node/traffic.hpp"
#include "sim/network/bounds.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::run {

struct Workload {
  double step_s = 0;       // least time of a step
  double steps = 0;        // per worker; a guess where only an accuracy ends the run
  double evaluations = 0;  // points of the curve
};

// `samples` are those of an epoch.
Workload workload_of(const scenario::Scenario& scenario, const network::Bounds& bounds, int workers, double samples);

// Throws InputError, with the path, for a run that no machine would come to the end of, or that this machine's memory
// does not hold. `model` is null when timing only.
void check_workload(const scenario::Scenario& scenario, const Workload& workload, const Cluster& cluster,
                    const scenario::LearnedModel* model);

// About how many segments travel in a run that is simulated packet by packet.
double segments_of(const platform::Fabric& fabric, const Cluster& cluster, const Traffic& traffic,
                   const network::Bounds& bounds, const Workload& workload);

// Seconds of one core of a usual machine, mostly within a factor of two. Where steps are bounded by the network or only
// an accuracy ends the run, the number of steps is a guess, and so is this.
struct Cost {
  double start_s = 0, gradients_s = 0, evaluation_s = 0, messages_s = 0;
  double gradients = 0, evaluations = 0;  // how many: a program's take what it takes
  double messages_reached = 0;            // whose shares one that starts or ends moves, at most; 0: packets travel

  double core_s() const { return start_s + gradients_s + evaluation_s + messages_s; }
  // By the clock, with so many math threads.
  double clock_s(int threads) const { return start_s + messages_s + (gradients_s + evaluation_s) / threads; }
};

// `model` is null when timing only. `evaluated`: samples of an evaluation.
Cost cost_of(const scenario::Scenario& scenario, const platform::Fabric& fabric, const Cluster& cluster,
             const Traffic& traffic, const network::Bounds& bounds, const Workload& workload,
             const scenario::LearnedModel* model, std::size_t evaluated);

// Bytes of a run's files, without the traces and draws that it may record; mostly within a fifth.
struct ResultBytes {
  double steps = 0;    // iterations.csv
  double curve = 0;    // curve.csv
  double weights = 0;  // models at the end
  double initial_weights = 0;
  double minibatches = 0;  // batches.csv, and what is in them

  double all() const { return steps + curve + weights + initial_weights + minibatches; }
};

ResultBytes result_bytes_of(const scenario::Scenario& scenario, const Cluster& cluster, const Workload& workload,
                            const Cost& cost, const scenario::LearnedModel* model);

}  // namespace ddl::run

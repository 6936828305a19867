// How much there is to do in a run, as far as that can be known before: so that no run goes on for ever unnoticed.
#pragma once

#include "core/nn/model.hpp"
#include "core/node/node.hpp"
#include "sim/network/bounds.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::experiment {

struct Workload {
  double step_s = 0;       // least time of a step
  double steps = 0;        // of each worker; a guess where only an accuracy ends the run
  double evaluations = 0;  // points of the curve
};

// `samples` are those of an epoch.
Workload workload_of(const scenario::Scenario& scenario, const network::Bounds& bounds, int workers, double samples);

// Throws InputError, with the path, for a run that no machine would come to the end of, or that this machine's memory
// does not hold. `model` is null when timing only.
void check_workload(const scenario::Scenario& scenario, const Workload& workload, const Cluster& cluster,
                    const nn::Model* model);

}  // namespace ddl::experiment

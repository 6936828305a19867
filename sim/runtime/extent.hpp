// How much there is to do in a run, as far as that can be known before: so that none goes on for ever unseen.
#pragma once

#include "core/algorithms/node.hpp"
#include "core/nn/model.hpp"
#include "sim/platform/bounds.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl {

struct Extent {
  double step_s = 0;       // least time of a step
  double steps = 0;        // of each worker; a guess where only an accuracy ends the run
  double evaluations = 0;  // points of the curve
};

// `samples` are those of an epoch.
Extent extent_of(const Scenario& scenario, const Bounds& bounds, int workers, double samples);

// Throws InputError, with the path, for a run that no machine would come to the end of, or that this machine's memory
// does not hold. `model` is null when timing only.
void check_extent(const Scenario& scenario, const Extent& extent, const Cluster& cluster, const Model* model);

}  // namespace ddl

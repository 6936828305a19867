// Facts of a run that every node knows, from a scenario on a platform.
#pragma once

#include <string>

#include "core/node/node.hpp"
#include "sim/network/bounds.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::run {

// Seconds of a worker's gradient, but for the factor below and compute.overhead; of a model of ours by its operations,
// unless the scenario says it.
double batch_seconds(const scenario::Scenario& scenario, const platform::Fabric& fabric, int worker,
                     const scenario::LearnedModel* model);

// The factor on a host's compute times.
double slowdown_of(const scenario::Scenario& scenario, const std::string& host);

// Workers whose steps are one step together, for they share one model.
int sharing_of(const scenario::Scenario& scenario, const Cluster& cluster);

// Workers whose minibatches differ: all, but for those that share one model or idle.
int learners_of(const scenario::Scenario& scenario, const Cluster& cluster);

// `model` is null when timing only, or not known; `shape`: how that of a timing-only run divides, if known. Throws
// InputError for what could not be checked before the platform was known.
Cluster make_cluster(const scenario::Scenario& scenario, const platform::Fabric& fabric,
                     const scenario::LearnedModel* model, const scenario::ModelShape* shape);

// The lower bounds of the scenario's system on that platform.
network::Bounds bounds_of(const scenario::Scenario& scenario, const platform::Fabric& fabric, const Cluster& cluster,
                          const scenario::LearnedModel* model);

}  // namespace ddl::run

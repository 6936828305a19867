// A scenario as it took effect: with the defaults that follow from its platform, its data and its model, too.
#pragma once

#include "core/data/dataset.hpp"
#include "core/node/cluster.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::run {

// `model` is null when timing only, and where a program has it that was not asked; `data` is what a model of ours
// learns from, otherwise null. Read again, it is the same run.
scenario::Scenario effective(const scenario::Scenario& scenario, const platform::Fabric& fabric, const Cluster& cluster,
                             const scenario::LearnedModel* model, const data::DataSplit* data);

}  // namespace ddl::run

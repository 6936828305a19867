// "tune" in a sweep: every point of the grid at its own best settings.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/node/registry.hpp"
#include "sim/advise/lab.hpp"
#include "sim/jobs/sweep/plan.hpp"

namespace ddl::advise {

// Searches the best settings of every point of a sweep that has "tune", and gives them to its scenario; what was found
// is a column of the sweep's tables. The runs go to <out>/<sweep>_tuning, with tried.csv, a row for each. Throws as
// Lab::run, and RunFailed for a point of which no run came to its end.
jobs::SweepPlan tuned_plan(const Registry& systems, const jobs::Sweep& sweep, jobs::SweepPlan plan,
                           const std::string& out, const LabOptions& options);

// Runs that takes, at most, by point; all 0 without "tune".
std::vector<std::size_t> tuning_runs(const jobs::Sweep& sweep, const jobs::SweepPlan& plan);

}  // namespace ddl::advise

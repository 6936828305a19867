// The tables of a sweep, made by reading result after result: memory does not grow with the runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/jobs/sweep/plan.hpp"

namespace ddl::jobs {

// sweep.csv: a row per run, in the plan's order; `failures` says per run why there is no result, "" where there is one.
// means.csv: a row per point and measure, over the seeds that have it. curves.csv: a row per run and evaluation, with
// numbers instead of quantities ("40Mbps") and the unit in the column's name. Throws InputError.
void write_sweep_tables(const std::filesystem::path& folder, const SweepPlan& plan,
                        const std::vector<std::string>& failures);

// Those of an earlier state.
void remove_sweep_tables(const std::filesystem::path& folder);

}  // namespace ddl::jobs

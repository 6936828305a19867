// The files of what a scenario asks to record beside its results: weights, minibatches, draws.
#pragma once

#include <string_view>
#include <vector>

#include "sim/results/writing/result_files.hpp"

namespace ddl::results {

void write_recorded_files(const scenario::Scenario& scenario, const run::RunResult& result, const WriteFile& write);

// Whether a run can have made a file of this name.
bool is_recorded_file(std::string_view name);

}  // namespace ddl::results

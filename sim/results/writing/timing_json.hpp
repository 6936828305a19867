#pragma once

#include <string>

#include "sim/experiment/run_result.hpp"

namespace ddl::results {

// timing.json's text: what the run cost the machine, the only file that may differ between two runs.
std::string timing_json(const experiment::RunResult& result);

}  // namespace ddl::results

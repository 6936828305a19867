#pragma once

#include <string>

#include "sim/record/run_result.hpp"

namespace ddl {

// timing.json's text: what the run cost the machine, the only file that may differ between two runs.
std::string timing_json(const RunResult& result);

}  // namespace ddl

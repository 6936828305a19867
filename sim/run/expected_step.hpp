// What a step is expected to take: the scenario's own first steps, simulated without learning.
#pragma once

#include <optional>

#include "sim/run/forecast.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::run {

struct ExpectedStep {
  int steps = 0;             // of each worker that were simulated
  double seconds = 0;        // mean over these
  double compute_share = 0;  // of the time, mean over workers that train
};

// In a child process. None where it would take more than a moment, or messages depend on what is learned.
std::optional<ExpectedStep> expected_step(const scenario::Scenario& scenario, const Forecast& forecast);

}  // namespace ddl::run

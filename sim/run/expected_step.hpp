// What a step is expected to take: the scenario's own first steps, simulated without learning.
#pragma once

#include <optional>

#include "sim/run/forecast.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::run {

// What a step takes beside computing, as shares of its time.
struct StepRest {
  double latency = 0;    // what it would save if links had none, and so nothing waited for round trips
  double bandwidth = 0;  // what it would save in addition if links had any rate
  double waiting = 0;    // what is left then: for other workers, and for servers at work
};

struct ExpectedStep {
  int steps = 0;             // of each worker that were simulated
  double seconds = 0;        // mean over these
  double compute_share = 0;  // of the time, mean over workers that train
  std::optional<StepRest> rest = {};
};

// In child processes. None where it would take more than a moment, or messages depend on what is learned.
std::optional<ExpectedStep> expected_step(const scenario::Scenario& scenario, const Forecast& forecast);

}  // namespace ddl::run

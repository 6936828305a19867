// The expected time of a step, by steps of the scenario that are simulated without learning.
#pragma once

#include <optional>

#include "sim/run/forecast.hpp"
#include "sim/run/rows/run_result.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::run {

// Shares of a step's time beside computing.
struct StepRest {
  double latency = 0;    // saved if links had no latency, and so nothing waited for round trips
  double bandwidth = 0;  // saved in addition if links had any rate
  double waiting = 0;    // the rest: waiting for other workers, and for servers at work
};

// Mean over the workers that train.
struct StepTime {
  double seconds = 0;
  double compute_share = 0;  // fraction of `seconds`
};
// The mean over all steps, or over the middle half of each worker's, as in the long run. Needs the result's rows of
// iterations.
enum class Steps { all, middle };
StepTime mean_step(const RunResult& result, Steps which);

struct ExpectedStep {
  int steps = 0;             // simulated ones, per worker
  StepTime step;             // mean of these, or of the middle half if they are as many as wanted
  bool layers_known = true;  // or a program was not asked for them, and the system exchanges by layers
  std::optional<StepRest> rest = {};
};

// Seconds of one core that simulating these steps takes.
double seconds_to_expect(const scenario::Scenario& scenario, const Forecast& forecast);
inline constexpr double most_seconds_to_expect = 4;

// In child processes. None where it would take longer, or messages depend on what is learned.
std::optional<ExpectedStep> expected_step(const scenario::Scenario& scenario, const Forecast& forecast);

// Steps, cost and result of a run that stop.time ends, whose steps take the expected time instead of their bound.
void expect_steps(Forecast& forecast, const scenario::Scenario& scenario, const ExpectedStep& expected);

}  // namespace ddl::run

#include "sim/run/expected_step.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/check.hpp"
#include "sim/run/cluster.hpp"
#include "sim/run/run.hpp"

namespace ddl::run {
namespace {

constexpr double most_core_s = 2;
constexpr double fewest_steps = 30;
constexpr double periods = 3;        // of systems that exchange every so many steps
constexpr double explained = 0.98;   // of the time computing: little is left to explain
constexpr double negligible = 1e-6;  // of latencies, and of the time that bytes take

// The same without learning, faults and records.
scenario::Scenario timing_only(const scenario::Scenario& scenario, const Forecast& forecast, int steps) {
  scenario::Scenario bare = scenario;
  bare.data = {};
  bare.model = {};
  bare.model.name = "none";
  bare.program.reset();
  bare.wire.model_bytes = Bytes{forecast.model_bytes};
  if (!scenario.compute.seconds_per_batch) {  // derived from the model that is gone, and hosts' speeds
    const auto seconds = [&](std::size_t worker) {
      return forecast.compute_s[worker] - scenario.compute.overhead.value;
    };
    bare.compute.seconds_per_batch = Seconds{seconds(0) / slowdown_of(scenario, forecast.workers[0])};
    for (std::size_t i = 0; i < forecast.workers.size(); ++i) {
      bare.compute.slowdown[forecast.workers[i]] = seconds(i) / bare.compute.seconds_per_batch->value;
    }
  }
  bare.stop = {};
  bare.stop.iterations = steps;
  bare.evaluate = {};
  bare.faults.clear();
  bare.record = {};
  bare.record.iterations = true;
  bare.expect.clear();
  bare.platform.network.model = forecast.network.model;  // also with other factors on the links
  return bare;
}

// When each worker's last step was over: what still travels then belongs to none. 0: it took none.
std::vector<double> last_ends(const RunResult& result) {
  std::vector<double> ends(static_cast<std::size_t>(result.workers));
  for (const IterationRow& row : result.iterations) {
    double& end_s = ends[static_cast<std::size_t>(row.worker)];
    end_s = std::max(end_s, row.end_s);
  }
  return ends;
}

ExpectedStep simulated(const scenario::Scenario& bare, int steps) {
  const RunResult result = run(bare);
  ExpectedStep expected{.steps = steps};
  const std::vector<double> ends = last_ends(result);
  const auto at_work = static_cast<double>(std::ranges::count_if(ends, [](double end_s) { return end_s > 0; }));
  for (std::size_t worker = 0; worker < ends.size(); ++worker) {
    if (ends[worker] == 0) continue;  // of systems in which one trains
    expected.seconds += ends[worker] / steps / at_work;
    expected.compute_share += result.compute_s[worker] / ends[worker] / at_work;
  }
  return expected;
}

// By the same steps on links without latency, and then without either. None where a platform file's latencies are not
// those of its links.
std::optional<StepRest> rest_of(const ExpectedStep& step, scenario::Scenario bare) try {
  bare.platform.latency_factor *= negligible;
  const double without_latency_s = std::min(step.seconds, simulated(bare, step.steps).seconds);
  bare.platform.bandwidth_factor /= negligible;
  const double without_both_s = std::min(without_latency_s, simulated(bare, step.steps).seconds);
  StepRest rest{.latency = (step.seconds - without_latency_s) / step.seconds,
                .bandwidth = (without_latency_s - without_both_s) / step.seconds};
  rest.waiting = std::max(0.0, 1 - step.compute_share - rest.latency - rest.bandwidth);
  return rest;
} catch (const InputError&) {
  return std::nullopt;
} catch (const process::RunFailed&) {
  return std::nullopt;
}

}  // namespace

std::optional<ExpectedStep> expected_step(const scenario::Scenario& scenario, const Forecast& forecast) {
  const double wanted = std::max(fewest_steps, periods * scenario.algorithm->period());
  const double steps = std::floor(std::min(wanted, forecast.steps));
  const double core_s = steps * forecast.cost.messages_s / forecast.steps;
  if (steps < 1 || core_s > most_core_s) return std::nullopt;
  try {
    const scenario::Scenario bare = timing_only(scenario, forecast, static_cast<int>(steps));
    ExpectedStep expected = simulated(bare, static_cast<int>(steps));
    if (expected.compute_share < explained && 3 * core_s <= most_core_s) expected.rest = rest_of(expected, bare);
    return expected;
  } catch (const InputError&) {
    return std::nullopt;  // without a model it has no layers, or no sizes of messages
  } catch (const process::RunFailed&) {
    return std::nullopt;  // it gets stuck after the time that the scenario has
  }
}

}  // namespace ddl::run

#include "sim/run/expected_step.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/check.hpp"
#include "sim/run/cluster.hpp"
#include "sim/run/rows/archive.hpp"
#include "sim/run/run.hpp"

namespace ddl::run {
namespace {

constexpr int periods = 4;  // simulated where systems exchange every so many steps
constexpr double fewest_steps = 96;
constexpr double explained = 0.98;   // share of computing that leaves little to explain
constexpr double negligible = 1e-6;  // factor on latencies
constexpr double plenty = 1e4;       // times a bandwidth; at many more SimGrid's solver loses itself in rounding

// The same without learning, faults and records.
scenario::Scenario timing_only(const scenario::Scenario& scenario, const Forecast& forecast, int steps) {
  scenario::Scenario bare = scenario;
  bare.data = {};
  if (forecast.data) bare.data.train = static_cast<std::int64_t>(forecast.data->train);
  bare.model = {};
  bare.model.name = "none";
  bare.program.reset();
  bare.wire.model_bytes = Bytes{forecast.model_bytes};
  if (!scenario.compute.gradient_seconds(1)) {  // derived from the model that is gone, and hosts' speeds
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

// A single layer where they are not known.
scenario::ModelShape shape_of(const scenario::Scenario& scenario, const Forecast& forecast) {
  if (!scenario.program || !forecast.shape.layers.empty()) return forecast.shape;
  const auto parameters = static_cast<std::size_t>(std::ceil(forecast.model_bytes / 4));
  return {.parameters = parameters, .layers = {{{0, parameters}, 1}}};
}

// Whole periods.
double wanted_steps(const System& system) {
  const double at_once = static_cast<double>(periods) * system.period();
  return std::ceil(fewest_steps / at_once) * at_once;
}

double steps_to_expect(const scenario::Scenario& scenario, const Forecast& forecast) {
  return std::floor(std::min(wanted_steps(*scenario.algorithm), forecast.steps));
}

ExpectedStep simulated(const scenario::Scenario& bare, const scenario::ModelShape& shape) {
  RunOptions options;
  if (!shape.layers.empty()) options.shape = shape;
  const auto steps = static_cast<int>(*bare.stop.iterations);
  const Steps which = steps < wanted_steps(*bare.algorithm) ? Steps::all : Steps::middle;
  return from_bytes<ExpectedStep>(in_child_of(bare, [&] {
    const RunResult result = run_here(bare, options);
    return to_bytes(ExpectedStep{.steps = steps, .step = mean_step(result, which), .layers_known = !result.by_layers});
  }));
}

// By the same steps on links without latency, and then without either. None where a platform file's latencies are not
// those of its links.
std::optional<StepRest> rest_of(const StepTime& step, scenario::Scenario bare, const scenario::ModelShape& shape) try {
  bare.platform.latency_factor *= negligible;
  const double without_latency_s = std::min(step.seconds, simulated(bare, shape).step.seconds);
  bare.platform.bandwidth_factor *= plenty;
  const double without_both_s = std::min(without_latency_s, simulated(bare, shape).step.seconds);
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

StepTime mean_step(const RunResult& result, Steps which) {
  std::vector<std::vector<const IterationRow*>> workers(static_cast<std::size_t>(result.workers));
  for (const IterationRow& row : result.iterations) workers[static_cast<std::size_t>(row.worker)].push_back(&row);
  std::erase_if(workers, [](const auto& rows) { return rows.empty(); });  // where one trains alone
  const auto trained = static_cast<double>(workers.size());
  StepTime mean;
  for (const auto& rows : workers) {
    const std::size_t first = which == Steps::all ? 0 : rows.size() / 4;
    const double begin_s = first == 0 ? 0 : rows[first - 1]->end_s;
    double end_s = 0, compute_s = 0;
    for (std::size_t i = first; i < rows.size() - first; ++i) {
      end_s = std::max(end_s, rows[i]->end_s);
      compute_s += rows[i]->compute_s;
    }
    const double seconds = end_s - begin_s, steps = static_cast<double>(rows.size() - 2 * first);
    mean.seconds += seconds / steps / trained;
    if (seconds > 0) mean.compute_share += compute_s / seconds / trained;
  }
  return mean;
}

double seconds_to_expect(const scenario::Scenario& scenario, const Forecast& forecast) {
  return steps_to_expect(scenario, forecast) * forecast.cost.messages_s / forecast.steps;
}

std::optional<ExpectedStep> expected_step(const scenario::Scenario& scenario, const Forecast& forecast) {
  const double steps = steps_to_expect(scenario, forecast), core_s = seconds_to_expect(scenario, forecast);
  if (steps < 1 || core_s > most_seconds_to_expect) return std::nullopt;
  try {
    const scenario::Scenario bare = timing_only(scenario, forecast, static_cast<int>(steps));
    const scenario::ModelShape shape = shape_of(scenario, forecast);
    ExpectedStep expected = simulated(bare, shape);
    if (!scenario.program || !forecast.shape.layers.empty()) expected.layers_known = true;
    if (expected.step.compute_share < explained && 3 * core_s <= most_seconds_to_expect) {
      expected.rest = rest_of(expected.step, bare, shape);
    }
    return expected;
  } catch (const InputError&) {
    return std::nullopt;  // without a model it has no sizes of messages
  } catch (const process::RunFailed&) {
    return std::nullopt;  // it gets stuck after the time that the scenario has
  }
}

void expect_steps(Forecast& forecast, const scenario::Scenario& scenario, const ExpectedStep& expected) {
  const double bound_s = forecast.bounds.step_s, time_s = scenario.stop.time.value_or(Seconds{0}).value;
  const bool time_ends_it = time_s > 0 && forecast.steps * bound_s > time_s * (1 - 1e-9);
  if (!time_ends_it || !(expected.step.seconds > 0)) return;
  for (double* amount : {&forecast.steps, &forecast.cost.gradients, &forecast.cost.gradients_s,
                         &forecast.cost.messages_s, &forecast.result.steps, &forecast.result.minibatches}) {
    *amount *= bound_s / expected.step.seconds;
  }
}

}  // namespace ddl::run

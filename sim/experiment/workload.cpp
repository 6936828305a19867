#include "sim/experiment/workload.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/check.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/memory.hpp"

namespace ddl::experiment {
namespace {

constexpr double most_steps = 1e9;     // as many as stop.iterations may ask for
constexpr double unknown_epochs = 10;  // an accuracy alone does not say how many steps lead to it

double steps_of_worker(const scenario::Scenario& scenario, double step_s, double workers, double samples) {
  const scenario::StopSpec& stop = scenario.stop;
  const double per_step = workers * scenario.training.batch_size;
  double steps = std::numeric_limits<double>::infinity();
  if (stop.time && step_s > 0) steps = std::min(steps, stop.time->value / step_s);
  if (stop.iterations) steps = std::min(steps, static_cast<double>(*stop.iterations));
  if (stop.samples) steps = std::min(steps, static_cast<double>(*stop.samples) / per_step);
  if (stop.epochs) steps = std::min(steps, *stop.epochs * samples / per_step);
  return std::isfinite(steps) ? steps : unknown_epochs * samples / per_step;
}

double machine_memory_bytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

Workload workload_of(const scenario::Scenario& scenario, const network::Bounds& bounds, int workers, double samples) {
  Workload workload;
  workload.step_s = std::max(bounds.step_s, bounds.compute_s);
  workload.steps = steps_of_worker(scenario, workload.step_s, workers, samples);
  const scenario::EvaluateSpec& evaluate = scenario.evaluate;
  workload.evaluations = 2;
  if (evaluate.every) workload.evaluations += workload.steps * workload.step_s / evaluate.every->value;
  if (evaluate.every_iterations)
    workload.evaluations += workload.steps / static_cast<double>(*evaluate.every_iterations);
  return workload;
}

void check_workload(const scenario::Scenario& scenario, const Workload& workload, const Cluster& cluster,
                    const nn::Model* model) {
  if (workload.steps > most_steps) {
    throw InputError(
        fmt::format("$.stop: lets each worker take about {:.3g} steps, of {:.3g} s; expected at most {:.0e}",
                    workload.steps, workload.step_s, most_steps));
  }
  if (!scenario.model.none() && workload.evaluations > scenario::most_evaluations) {
    const char* key = scenario.evaluate.every ? "every" : "every_iterations";
    throw InputError(fmt::format("$.evaluate.{}: asks for about {:.3g} evaluations; expected at most {:.0f}", key,
                                 workload.evaluations, scenario::most_evaluations));
  }
  const auto parts = scenario::memory_of(scenario, model, cluster.workers, cluster.servers, workload.steps,
                                         static_cast<std::int64_t>(cluster.training_samples));
  if (const auto too_much = scenario::excess(parts, machine_memory_bytes(), ", which this machine has")) {
    throw InputError(too_much->path + ": " + too_much->what);
  }
}

}  // namespace ddl::experiment

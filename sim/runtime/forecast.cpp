#include "sim/runtime/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/nn/model.hpp"
#include "sim/runtime/archive.hpp"
#include "sim/runtime/simulation.hpp"

namespace ddl {

template <class A>
void members(A& archive, Forecast& forecast) {
  archive(forecast.bounds, forecast.cost_s);
}

namespace {

// Measured on a machine of 2020's; only the proportions between runs matter for the time left.
constexpr double start_s = 0.1, flops_per_s = 10e9, message_s = 8e-6, message_s_per_flow = 0.2e-6;
constexpr double flops_per_multiply_add = 2, passes_of_gradient = 3;

double steps_of_worker(const Scenario& scenario, double step_s, double workers, double samples) {
  const StopSpec& stop = scenario.stop;
  const double per_step = workers * scenario.training.batch_size;
  double steps = std::numeric_limits<double>::infinity();
  if (stop.time && step_s > 0) steps = std::min(steps, stop.time->value / step_s);
  if (stop.iterations) steps = std::min(steps, static_cast<double>(*stop.iterations));
  if (stop.samples) steps = std::min(steps, static_cast<double>(*stop.samples) / per_step);
  if (stop.epochs) steps = std::min(steps, *stop.epochs * samples / per_step);
  constexpr double unknown_epochs = 10;  // an accuracy alone says nothing of the steps to it
  return std::isfinite(steps) ? steps : unknown_epochs * samples / per_step;
}

double evaluations_of(const Scenario& scenario, double steps, double step_s) {
  const EvaluateSpec& evaluate = scenario.evaluate;
  double count = 2;
  if (evaluate.every) count += steps * step_s / evaluate.every->value;
  if (evaluate.every_iterations) count += steps / static_cast<double>(*evaluate.every_iterations);
  return count;
}

}  // namespace

Forecast forecast_here(const Scenario& scenario) {
  const Fabric fabric(scenario);
  std::optional<Model> model;
  double training = 0, testing = 0;
  if (!scenario.model.none()) {
    const DataSplit data = load_data(scenario);  // reading it is the only way to know that it is whole
    model.emplace(scenario.model, data.train.shape, data.train.classes);
    training = static_cast<double>(data.train.size());
    testing = static_cast<double>(scenario.evaluate.samples.value_or(static_cast<std::int64_t>(data.test.size())));
  }
  const Cluster cluster = make_cluster(scenario, fabric, model ? &*model : nullptr);
  const Traffic traffic = traffic_of(scenario.algorithm, cluster);
  Forecast forecast;
  forecast.bounds = bounds_of(fabric, traffic, cluster.compute_s, static_cast<double>(cluster.model_bytes),
                              scenario.wire.header_bytes.value);

  const double workers = cluster.one_model ? 1 : cluster.workers;
  const double step_s = std::max(forecast.bounds.step_s, forecast.bounds.compute_s);
  const double steps = steps_of_worker(scenario, step_s, workers, training);
  const double adds = model ? model->forward_multiply_adds() : 0;
  const double flops = flops_per_multiply_add * adds *
                       (passes_of_gradient * scenario.training.batch_size * steps * workers +
                        evaluations_of(scenario, steps, step_s) * testing * (cluster.servers > 0 ? 1 : workers + 1));
  double messages = 0, flows = 0;
  for (const auto& phase : traffic.phases) {
    for (const Flow& flow : phase) messages += flow.messages;
    flows = std::max(flows, static_cast<double>(phase.size()));
  }
  forecast.cost_s = start_s + flops / flops_per_s + steps * messages * (message_s + message_s_per_flow * flows);
  return forecast;
}

std::string forecast_as_bytes(const Scenario& scenario) { return to_bytes(forecast_here(scenario)); }

Forecast forecast_of(const std::string& bytes) { return from_bytes<Forecast>(bytes); }

}  // namespace ddl

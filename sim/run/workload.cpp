#include "sim/run/workload.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/check.hpp"
#include "core/nn/layer.hpp"
#include "core/nn/math_mode.hpp"
#include "sim/network/packets/segment.hpp"
#include "sim/run/cluster.hpp"
#include "sim/scenario/checks/checks.hpp"
#include "sim/scenario/memory.hpp"

namespace ddl::run {
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

// Measured on a machine of 2022 whose kernels have 512 bits (docs/performance.md); those of 256 bits are half as quick.
constexpr double start_s = 0.05, gradient_flops_per_s = 90e9, forward_flops_per_s = 150e9;
constexpr double value_s = 1e-9;        // a value between layers, in one direction
constexpr double parameter_s = 5e-9;    // per step: copied, looked at, applied
constexpr double hand_over_s = 25e-6;   // per gradient, to a math thread and back
constexpr double bookkeeping_s = 3e-6;  // per step
constexpr double message_s = 10e-6;
constexpr double carried_s = 3e-9;  // a parameter in a message
// Where many are under way, each that starts or ends moves the shares of others: SimGrid looks at all, the accelerator
// at those that share a link with one that shares a link with it. Of SimGrid 0.08 to 0.4, by how many share a link.
constexpr double simgrid_s_per_flow = 0.15e-6, accelerator_s_per_flow = 0.007e-6;
// In the model packets: for each segment, however many connections share its links.
constexpr double s_per_segment = 0.6e-6;
constexpr double flops_per_multiply_add = 2, passes_of_gradient = 3;

double s_per_flow(platform::CarriedBy by) {
  return by == platform::CarriedBy::accelerator ? accelerator_s_per_flow : simgrid_s_per_flow;
}

// Flows whose shares one that starts or ends moves, at most.
double messages_reached(const Traffic& traffic, const platform::Fabric& fabric, platform::CarriedBy by) {
  double flows = traffic.unlisted_messages / traffic.unlisted_phases;
  for (const auto& phase : traffic.phases) {
    double of_phase = 0;  // one to each peer that may be drawn is one in all
    for (const Flow& flow : phase) of_phase += std::min(1.0, flow.messages);
    flows = std::max(flows, of_phase);
  }
  const double of_a_node = flows / fabric.node_count();
  return by == platform::CarriedBy::accelerator ? std::min(flows, of_a_node * of_a_node) : flows;
}

// One pass of a sample through the model, and all that a gradient of one does without the one for its input.
struct SampleCost {
  double forward_s = 0, gradient_s = 0;
};

SampleCost sample_cost(const nn::Model& model) {
  const bool narrow = nn::math_kernels(model.math_mode()) != "AVX-512";
  const double flops = flops_per_multiply_add * (narrow ? 2 : 1);
  double values = 0, first = 0;
  bool learns = false;
  for (const auto& layer : model.layers()) {
    if (values == 0) values = static_cast<double>(layer->input().size());
    values += static_cast<double>(layer->output().size());
    if (!learns && layer->parameter_count() > 0) first = layer->multiply_adds();
    learns = learns || layer->parameter_count() > 0;
  }
  const double adds = model.forward_multiply_adds();
  return {adds * flops / forward_flops_per_s + values * value_s,
          (passes_of_gradient * adds - first) * flops / gradient_flops_per_s + passes_of_gradient * values * value_s};
}

// Measured, of text: a row of iterations.csv, and of curve.csv; the number of a sample.
constexpr double bytes_of_step = 75, bytes_of_learning_step = 110, bytes_of_curve_row = 85, bytes_of_number = 6.5;

}  // namespace

Workload workload_of(const scenario::Scenario& scenario, const network::Bounds& bounds, int workers, double samples) {
  Workload workload;
  workload.step_s = std::max({bounds.step_s, bounds.compute_s, bounds.unlisted_s});
  workload.steps = steps_of_worker(scenario, workload.step_s, workers, samples);
  const scenario::EvaluateSpec& evaluate = scenario.evaluate;
  workload.evaluations = 2;
  const auto every = [&](double whole, double part) {
    workload.evaluations += std::max(0.0, std::ceil(whole / part) - 1);
  };
  if (evaluate.every) every(workload.steps * workload.step_s, evaluate.every->value);
  if (evaluate.every_iterations) every(workload.steps, static_cast<double>(*evaluate.every_iterations));
  return workload;
}

void check_workload(const scenario::Scenario& scenario, const Workload& workload, const Cluster& cluster,
                    const scenario::LearnedModel* model) {
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

// No more than links carry in the time of a step.
double segments_of(const platform::Fabric& fabric, const Cluster& cluster, const Traffic& traffic,
                   const network::Bounds& bounds, const Workload& workload) {
  const double bytes =
      bounds.bytes_per_step * cluster.workers +
      static_cast<double>(cluster.model_bytes) *
          (traffic.unlisted_models > 0 ? traffic.unlisted_models * cluster.workers : traffic.unlisted_messages);
  double links_bytes = 0;
  for (const platform::LinkInfo& link : fabric.links()) {
    links_bytes += workload.step_s * link.bandwidth_bytes_per_s / (link.direction == "both" ? 1 : 2);
  }
  return workload.steps * std::min(bytes, links_bytes) / network::packets::segment_bytes;
}

Cost cost_of(const scenario::Scenario& scenario, const platform::Fabric& fabric, const Cluster& cluster,
             const Traffic& traffic, const network::Bounds& bounds, const Workload& workload,
             const scenario::LearnedModel* model, std::size_t evaluated) {
  Cost cost{.start_s = start_s};
  double carried_models =
      bounds.bytes_per_step * cluster.workers / std::max(1.0, static_cast<double>(cluster.model_bytes));
  const nn::Model* network = model != nullptr ? model->network : nullptr;
  if (model != nullptr) {
    const SampleCost sample = network != nullptr ? sample_cost(*network) : SampleCost();
    const auto parameters = static_cast<double>(model->parameters);
    const int learners = learners_of(scenario, cluster);
    cost.gradients = workload.steps * learners;
    cost.gradients_s =
        cost.gradients * (sample.gradient_s * scenario.training.batch_size + parameters * parameter_s + hand_over_s);
    cost.gradients_s += workload.steps * carried_models * parameters * carried_s;
    // Each worker's, and their mean; or the one that is judged. All begin with one.
    const double models = scenario.algorithm->model_holders(cluster).empty() ? cluster.workers + 1.0 : 1.0;
    cost.evaluations = 1 + (workload.evaluations - 1) * models;
    std::size_t samples = evaluated;
    if (network != nullptr && network->needs_estimates()) {
      for (const auto& batch : nn::estimation_batches(cluster.training_samples)) samples += batch.size();
    }
    cost.evaluation_s = cost.evaluations * static_cast<double>(samples) * sample.forward_s;
  }
  double messages = traffic.unlisted_messages;
  for (const auto& phase : traffic.phases) {
    for (const Flow& flow : phase) messages += flow.messages;
  }
  cost.messages_s = workload.steps * cluster.workers * bookkeeping_s;
  const platform::CarriedBy by = fabric.network_plan().carried_by;
  if (by == platform::CarriedBy::packets) {
    cost.messages_s +=
        workload.steps * messages * message_s + segments_of(fabric, cluster, traffic, bounds, workload) * s_per_segment;
  } else {
    cost.messages_reached = messages_reached(traffic, fabric, by);
    const double others_s = s_per_flow(by) * cost.messages_reached;
    cost.messages_s += workload.steps * messages * (message_s + others_s);
  }
  return cost;
}

ResultBytes result_bytes_of(const scenario::Scenario& scenario, const Cluster& cluster, const Workload& workload,
                            const Cost& cost, const scenario::LearnedModel* model) {
  const scenario::RecordSpec& record = scenario.record;
  const double steps = workload.steps * learners_of(scenario, cluster) * sharing_of(scenario, cluster);
  ResultBytes bytes;
  if (record.iterations) bytes.steps = steps * (model != nullptr ? bytes_of_learning_step : bytes_of_step);
  if (model == nullptr) return bytes;
  const double judged = cost.evaluations / workload.evaluations;
  bytes.curve = workload.evaluations * std::max(1.0, judged + 1) * bytes_of_curve_row;
  const double kept = 8 * static_cast<double>(model->parameters);  // in one vector, and by tensors
  if (record.weights) bytes.weights = kept * (scenario.algorithm->model_holders(cluster).empty() ? cluster.workers : 1);
  if (record.initial_weights) {
    bytes.initial_weights =
        kept * (scenario.training.init == scenario::InitialWeights::independent ? cluster.workers : 1);
  }
  if (record.batches) {
    const double draws = steps * scenario.training.batch_size;
    bytes.minibatches = draws * bytes_of_number;
    if (!scenario.program) {  // each sample that is drawn is kept once
      const data::DataShape data = scenario::data_shape_of(scenario);
      bytes.minibatches += std::min(draws, static_cast<double>(cluster.training_samples)) *
                           (2 * sizeof(std::int64_t) + static_cast<double>(data.shape.size() * data.bytes_of_value));
    }
  }
  return bytes;
}

}  // namespace ddl::run

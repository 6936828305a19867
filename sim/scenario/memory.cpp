#include "sim/scenario/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.hpp"
#include "core/nn/layer.hpp"
#include "core/nn/split/vertical_split.hpp"

namespace ddl::scenario {
namespace {

// Measured: a simulated host with its actors' stacks, links and queues; a pair of nodes that talk all the time; a row
// of iterations.csv, which exists three times: as a row, in the bytes sent by the run's process, and in those received.
constexpr double bytes_of_node = 40e3, bytes_of_pair = 3e3, bytes_of_step = 250;
constexpr double math_threads = 2;  // more need more scratch memory, but must not make a run invalid

// A gradient, the inbox, and a model on the wire.
constexpr double passing_vectors = 3;

// Weights, and the vectors that optimizers and systems keep.
double lasting_vectors(const Scenario& scenario, int workers) {
  double vectors = 1;
  if (std::holds_alternative<nn::AdamParams>(scenario.training.optimizer)) vectors += 2;
  if (std::holds_alternative<nn::MomentumParams>(scenario.training.optimizer)) vectors += 1;
  if (std::holds_alternative<nn::NesterovParams>(scenario.training.optimizer)) vectors += 1;
  if (const auto* ako = std::get_if<systems::AkoParams>(&scenario.algorithm); ako != nullptr) {
    const auto& counts = ako->partitions.counts;
    const int partitions = ako->partitions.automatic ? 1 : *std::ranges::max_element(counts);
    vectors += ako->schedule == systems::AkoSchedule::rotate ? std::clamp(partitions, 1, std::max(1, workers - 1)) : 1;
  }
  return vectors;
}

// Sums over all workers: parameters held, and, for a shared model, values of a sample that are computed at the same
// time.
struct Held {
  double lasting = 0, passing = 0;
  double values = 0;
};

// A split lists its parameters one by one. For larger models, values between layers are ignored; they are few in
// comparison.
constexpr double most_listed = 1e8;

Held held_by(const Scenario& scenario, const nn::Model& model, int workers) {
  const auto parameters = static_cast<double>(model.parameter_count());
  if (std::holds_alternative<parallel::EarlyExitParams>(scenario.algorithm)) return {parameters, parameters, 0};
  // Members train one after the other.
  if (std::holds_alternative<ensemble::SammeParams>(scenario.algorithm)) return {workers * parameters, parameters, 0};
  if (!std::holds_alternative<parallel::VerticalParams>(scenario.algorithm)) {
    return {workers * parameters, workers * parameters, 0};
  }
  Held held;
  if (parameters > most_listed) return {parameters, parameters, 0};
  try {
    const nn::VerticalSplit split(model, workers);
    for (int worker = 0; worker < workers; ++worker) {
      held.lasting += static_cast<double>(split.held(worker).size());
      for (const std::size_t values : split.tape(worker).values) held.values += 2 * static_cast<double>(values);
    }
  } catch (const InputError&) {  // the run will report it
  }
  held.passing = held.lasting;
  return held;
}

double values_between_layers(const nn::Model& model) {
  double sum = 0, widest = 0;
  for (const auto& layer : model.layers()) {
    const auto values = static_cast<double>(layer->output().size());
    sum += values;
    widest = std::max({widest, values, static_cast<double>(layer->input().size())});
  }
  return sum + 3 * widest;
}

}  // namespace

std::vector<MemoryPart> memory_of(const Scenario& scenario, const nn::Model* model, int workers, int servers,
                                  double steps) {
  std::vector<MemoryPart> parts;
  const double nodes = static_cast<double>(workers) + servers;
  const bool all_to_all = std::holds_alternative<systems::AkoParams>(scenario.algorithm);
  parts.push_back({"$.platform.workers", fmt::format("{} hosts{}", nodes, all_to_all ? " that all talk to all" : ""),
                   nodes * bytes_of_node + (all_to_all ? nodes * nodes * bytes_of_pair : 0)});
  parts.push_back(
      {"$.stop", fmt::format("{} workers x {:.4g} steps", workers, steps), steps * workers * bytes_of_step});
  if (model == nullptr) return parts;

  const auto parameters = static_cast<double>(model->parameter_count());
  const double lasting = lasting_vectors(scenario, workers);
  const Held held = held_by(scenario, *model, workers);
  const std::string vectors =
      held.lasting == held.passing
          ? fmt::format("{} vectors of the {:.9g} parameters", lasting + passing_vectors, held.lasting)
          : fmt::format("{} vectors of the {:.9g} parameters and {} of the {:.9g} under training", lasting,
                        held.lasting, passing_vectors, held.passing);
  parts.push_back({"$.model", fmt::format("{} of {} workers' models", vectors, workers),
                   4 * (held.lasting * lasting + held.passing * passing_vectors + (servers > 0 ? 4 * parameters : 0) +
                        2 * math_threads * static_cast<double>(model->whole_parameter_count()))});
  const data::DataShape data = data::data_shape(scenario.data.source);
  const double samples = static_cast<double>(scenario.data.train.value_or(0) + scenario.data.test.value_or(0));
  parts.push_back({"$.data", fmt::format("{} samples x {} bytes", samples, data.shape.size()),
                   samples * static_cast<double>(data.shape.size())});
  const double values = values_between_layers(*model), batch = std::max(100, scenario.training.batch_size);
  parts.push_back({"$.training.batch_size", fmt::format("{} samples x {} values between layers", batch, values),
                   4 * batch * (math_threads * values + held.values)});
  return parts;
}

std::optional<MemoryPart> excess(const std::vector<MemoryPart>& parts, double most_bytes, const std::string& owner) {
  double sum = 0;
  for (const MemoryPart& part : parts) sum += part.bytes;
  if (sum <= most_bytes) return std::nullopt;
  MemoryPart largest = *std::ranges::max_element(parts, {}, &MemoryPart::bytes);
  largest.what = fmt::format("{} make a run that takes about {:.4g} GiB of memory; expected at most {:.4g} GiB{}{}",
                             largest.what, sum / gibibyte, most_bytes / gibibyte, owner,
                             largest.path == "$.model" ? ", or the model \"none\" for timing only" : "");
  return largest;
}

}  // namespace ddl::scenario

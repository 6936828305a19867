#include "sim/scenario/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/counted.hpp"
#include "core/nn/layer.hpp"
#include "core/nn/optimizer.hpp"

namespace ddl::scenario {
namespace {

// Measured: a simulated host with its actors' stacks, links and queues; a pair of nodes that talk all the time, and an
// actor for one of them; a row of a step, which its node keeps, with room for others, and the result once more, and the
// row's text in iterations.csv (peaks of runs of one to two million steps).
constexpr double bytes_of_node = 40e3, bytes_of_pair = 3e3, bytes_of_actor = 13e3, bytes_of_step = 190,
                 bytes_of_step_text = 40;
constexpr double bytes_of_sample = 24;  // in a recorded minibatch: a number, and its digits in the same places
constexpr double math_threads = 2;      // more need more scratch memory, but must not make a run invalid

constexpr double bytes_of_place = 8;  // a sample's number in a shard, which is made and then kept by its worker

constexpr std::size_t bytes_of_symbol = 2;  // in a text: each is kept, and is the label of a sample

// A gradient, the inbox, and a model on the wire.
constexpr double passing_vectors = 3;

// Weights, and the vectors that optimizers and systems keep.
double lasting_vectors(const Scenario& scenario, const MemoryUse& use) {
  double vectors = 1 + use.vectors;
  return vectors + nn::Optimizer::kept_vectors(scenario.training.optimizer);
}

// The key that says how many there are.
const char* key_of_workers(const PlatformSpec& platform) {
  if (std::holds_alternative<SitesPlatform>(platform.hosts)) return "$.platform.sites";
  if (sites_of(platform)) return "$.platform.workers_per_site";
  return "$.platform.workers";
}

// Values and gradients between the layers of one, and what these keep.
double values_within(const nn::Layer& layer) {
  auto sum = static_cast<double>(layer.kept_values());
  for (const nn::LayerPart& part : layer.parts()) {
    sum += static_cast<double>(part.layer->input().size() + part.layer->output().size()) + values_within(*part.layer);
  }
  return sum;
}

double values_between_layers(const nn::Model& model) {
  double sum = 0, widest = 0;
  for (const auto& layer : model.layers()) {
    const auto values = static_cast<double>(layer->output().size());
    sum += values + values_within(*layer);
    widest = std::max({widest, values, static_cast<double>(layer->input().size())});
  }
  return sum + 3 * widest;
}

}  // namespace

std::vector<MemoryPart> memory_of(const Scenario& scenario, const LearnedModel* model, int workers, int servers,
                                  double steps, std::int64_t training_samples) {
  std::vector<MemoryPart> parts;
  const double nodes = static_cast<double>(workers) + servers;
  const nn::Model* network = model != nullptr ? model->network : nullptr;
  const MemoryUse use = memory_use_of(*scenario.algorithm, network, model != nullptr ? model->parameters : 0, workers);
  parts.push_back({key_of_workers(scenario.platform),
                   counted(workers + servers, "host") + (use.all_to_all ? " that all talk to all" : ""),
                   nodes * bytes_of_node + (use.all_to_all ? nodes * nodes * bytes_of_pair : 0) +
                       (use.spawns_for_peers ? nodes * nodes * bytes_of_actor : 0)});
  parts.push_back({"$.stop",
                   fmt::format("{} x {}", counted(workers, "worker"), counted(fmt::format("{:.4g}", steps), "step")),
                   steps * workers * (bytes_of_step + (scenario.record.iterations ? bytes_of_step_text : 0))});
  if (model == nullptr) return parts;
  if (scenario.record.batches) {
    const double numbers = steps * workers * scenario.training.batch_size;
    parts.push_back(
        {"$.record.batches", fmt::format("{:.4g} samples of minibatches", numbers), numbers * bytes_of_sample});
  }

  const auto parameters = static_cast<double>(model->parameters);
  const double lasting = lasting_vectors(scenario, use);
  const double whole = network != nullptr ? static_cast<double>(network->whole_parameter_count()) : parameters;
  const std::string vectors =
      use.parameters == use.training
          ? fmt::format("{} vectors of the {:.9g} parameters", lasting + passing_vectors, use.parameters)
          : fmt::format("{} vectors of the {:.9g} parameters and {} of the {:.9g} under training", lasting,
                        use.parameters, passing_vectors, use.training);
  parts.push_back({"$.model", fmt::format("{} of {} workers' models", vectors, workers),
                   4 * (use.parameters * lasting + use.training * passing_vectors + (servers > 0 ? 4 * parameters : 0) +
                        2 * math_threads * whole)});
  if (network != nullptr) {
    const data::DataShape data = data_shape_of(scenario);
    const bool is_text = data.symbols > 0;
    const double count =
        static_cast<double>(is_text ? data.symbols : training_samples + scenario.data.test.value_or(0));
    const std::size_t bytes = is_text ? bytes_of_symbol : data.shape.size() * data.bytes_of_value;
    parts.push_back({"$.data", fmt::format("{} {} x {} bytes", count, is_text ? "symbols" : "samples", bytes),
                     count * static_cast<double>(bytes)});
  }
  if (scenario.data.partition == data::PartitionKind::full) {
    const double numbers = static_cast<double>(training_samples) * workers;
    parts.push_back({"$.data.partition",
                     fmt::format("{} with all {} samples", counted(workers, "worker"), training_samples),
                     numbers * bytes_of_place});
  }
  if (network == nullptr) return parts;  // values between a program's layers lie in its processes
  const double values = values_between_layers(*network);
  const auto batch = std::max(static_cast<double>(network->evaluated_together()), 1.0 * scenario.training.batch_size);
  parts.push_back({"$.training.batch_size", fmt::format("{} samples x {} values of layers", batch, values),
                   4 * batch * (math_threads * values + use.values)});
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

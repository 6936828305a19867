#include "sim/results/writing/recorded/recorded_files.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/data/dataset.hpp"
#include "core/nn/model.hpp"
#include "core/nn/torch_tensor.hpp"
#include "sim/results/writing/recorded/safetensors.hpp"
#include "sim/results/writing/table_text.hpp"
#include "sim/run/recorded/recordings.hpp"
#include "sim/run/recorded/weights_name.hpp"

namespace ddl::results {
namespace {

using run::RunResult;
using scenario::Scenario;
using Tensors = std::vector<nn::TorchTensor>;

constexpr std::string_view samples_file = "samples.safetensors";

// Those of a program lie in the vector as it names them.
Tensors tensors_of(const scenario::ProgramFacts& program) {
  Tensors tensors;
  std::uint32_t place = 0;
  for (const auto& tensor : program.tensors) {
    std::vector<std::uint32_t> sources(tensor.size());
    std::iota(sources.begin(), sources.end(), place);
    place += static_cast<std::uint32_t>(tensor.size());
    tensors.push_back({tensor.name, tensor.shape, std::move(sources)});
  }
  return tensors;
}

// The model's tensors; none where files have the flat vector only.
Tensors tensors_for(const Scenario& scenario, const RunResult& result, std::size_t parameters) {
  if (result.program) {
    Tensors tensors = tensors_of(*result.program);
    std::size_t count = 0;
    for (const nn::TorchTensor& tensor : tensors) count += tensor.sources.size();
    return count == parameters ? tensors : Tensors();
  }
  const data::DataShape data = data_shape_of(scenario);
  const nn::Model model(scenario.model, data.shape, data.classes, scenario.math.mode);
  return model.parameter_count() == parameters ? nn::torch_tensors(model) : Tensors();
}

// Whoever loads the file has the whole model: what a program does not train stands in it, too.
std::string weights_text(const RunResult& result, const std::vector<float>& weights, const Tensors& tensors) {
  Safetensors file;
  // A program may call one of its tensors so.
  const std::string all = "parameters";
  const auto is_called_so = [&](const auto& tensor) { return tensor.name == all; };
  const bool has_frozen = result.program && std::ranges::any_of(result.program->frozen, is_called_so);
  if (!has_frozen && std::ranges::none_of(tensors, is_called_so)) {
    file.add(all, {weights.size()}, std::span<const float>(weights));
  }
  for (const nn::TorchTensor& tensor : tensors) {
    const std::vector<float> values = nn::values_of(tensor, weights);
    file.add(tensor.name, tensor.shape, std::span<const float>(values));
  }
  std::span<const float> frozen = result.recorded.frozen;
  if (!result.program) return file.text();
  for (const auto& tensor : result.program->frozen) {
    file.add(tensor.name, tensor.shape, frozen.first(tensor.size()));
    frozen = frozen.subspan(tensor.size());
  }
  return file.text();
}

void write_final_weights(const Scenario& scenario, const RunResult& result, const WriteFile& write) {
  if (result.weights.empty()) return;  // a timing-only run has none
  const auto tensors = tensors_for(scenario, result, result.weights.front().size());
  for (std::size_t i = 0; i < result.weights.size(); ++i) {
    const std::vector<float>& weights = result.weights[i];
    if (weights.empty()) continue;
    const bool assembled = result.weights.size() == 1 && result.workers > 1;
    const std::string_view owner = result.weights_at_servers ? run::owned_by_servers
                                   : assembled               ? run::owned_by_all
                                                             : std::string_view(result.nodes.at(i));
    write(run::weights_name(run::final_weights, owner), weights_text(result, weights, tensors));
  }
}

void write_initial_weights(const Scenario& scenario, const RunResult& result, const WriteFile& write) {
  const std::vector<float>& shared = result.recorded.initial_weights;
  const auto tensors = tensors_for(scenario, result, shared.size());
  write("initial-weights.safetensors", weights_text(result, shared, tensors));
  for (std::size_t worker = 0; worker < result.recorded.own_initial_weights.size(); ++worker) {
    write(run::weights_name(run::own_first_weights, result.nodes.at(worker)),
          weights_text(result, result.recorded.own_initial_weights[worker], tensors));
  }
}

std::string samples_text(const run::RecordedSamples& samples) {
  const std::size_t count = samples.numbers.size();
  Safetensors file;
  file.add("numbers", {count}, std::span<const std::int64_t>(samples.numbers));
  const std::vector<std::size_t> shape = {count, unsigned_of(samples.shape.channels), unsigned_of(samples.shape.height),
                                          unsigned_of(samples.shape.width)};
  if (samples.values.empty()) {
    file.add("images", shape, std::span<const std::uint8_t>(samples.images));
  } else {
    file.add("values", shape, std::span<const float>(samples.values));
  }
  std::vector<std::size_t> of_labels = {count};
  if (samples.labels.size() > count) of_labels.push_back(samples.labels.size() / count);
  file.add("labels", of_labels, std::span<const std::int64_t>(samples.labels));
  file.add("mean", {samples.mean.size()}, std::span<const float>(samples.mean));
  file.add("scale", {samples.scale.size()}, std::span<const float>(samples.scale));
  return file.text();
}

}  // namespace

void write_recorded_files(const Scenario& scenario, const RunResult& result, const WriteFile& write) {
  const scenario::RecordSpec& record = scenario.record;
  const run::Recordings& recorded = result.recorded;
  const auto write_table = [&]<class Row>(const std::vector<Row>& rows) {
    write(run::Table<Row>::file, table_text(rows, result.nodes));
  };
  if (record.weights) write_final_weights(scenario, result, write);
  if (record.initial_weights) write_initial_weights(scenario, result, write);
  if (record.batches) {
    write_table(recorded.shards);
    write_table(recorded.batches);
    if (recorded.samples) write(std::string(samples_file), samples_text(*recorded.samples));
  }
  if (record.draws) write_table(recorded.draws);
}

bool is_recorded_file(std::string_view name) {
  constexpr std::string_view names[] = {samples_file, "initial-weights.safetensors", run::Table<run::ShardRow>::file,
                                        run::Table<run::MinibatchRow>::file, run::Table<run::DrawRow>::file};
  if (std::ranges::find(names, name) != std::end(names)) return true;
  return (name.starts_with("weights-") || name.starts_with("initial-weights-")) && name.ends_with(".safetensors");
}

}  // namespace ddl::results

#include "core/split/exits/stage_plan.hpp"

#include <numeric>
#include <string>

#include "core/base/check.hpp"
#include "core/nn/build.hpp"
#include "core/nn/layers/dropout.hpp"
#include "core/nn/model.hpp"

namespace ddl::split {
namespace {

// Ends each stage as soon as it has its even part of the operations, with one layer at least.
std::vector<int> even_cuts(const nn::Model& model, int workers) {
  std::vector<int> cuts;
  const int layers = static_cast<int>(model.layers().size());
  double done = 0;
  for (int layer = 0; layer < layers && static_cast<int>(cuts.size()) + 1 < workers; ++layer) {
    done += model.layers()[static_cast<std::size_t>(layer)]->multiply_adds();
    const int stages_left = workers - static_cast<int>(cuts.size()) - 1;
    const double part = static_cast<double>(cuts.size() + 1) / workers;
    if (done >= part * model.forward_multiply_adds() || layers - layer - 1 == stages_left) cuts.push_back(layer + 1);
  }
  return cuts;
}

std::vector<int> checked_cuts(const EarlyExitParams& params, const nn::Model& model, const Cluster& cluster) {
  const int layers = static_cast<int>(model.layers().size());
  if (params.cuts.empty()) {
    if (layers < cluster.workers) {
      throw InputError("$.algorithm.name: a model of " + std::to_string(layers) + " layers for " +
                       std::to_string(cluster.workers) + " workers; expected a layer for each, or \"cuts\"");
    }
    return even_cuts(model, cluster.workers);
  }
  int before = 0;
  for (const int cut : params.cuts) {
    if (cut < before || cut >= layers) {
      throw InputError("$.algorithm.cuts: " + std::to_string(cut) + ", but the model has " + std::to_string(layers) +
                       " layers; expected ascending counts below that");
    }
    before = cut;
  }
  return params.cuts;
}

// As published: on an image a convolution, then a dense layer from all its values to the classes.
Tape exit_from(Shape shape, const EarlyExitParams& params, int classes, nn::MathMode mode) {
  std::vector<nn::LayerSpec> specs;
  if (params.exit_filters > 0 && shape.height * shape.width > 1) {
    specs = {nn::ConvSpec{.filters = params.exit_filters}, nn::ReluSpec{}};
  }
  specs.insert(specs.end(), {nn::FlattenSpec{}, nn::DenseSpec{.units = classes}});
  Tape tape;
  int value = tape.add_value(shape.size());
  for (auto& layer : nn::build_layers(specs, shape, classes, mode)) {
    value = tape.apply(std::move(layer), value);
  }
  return tape;
}

}  // namespace

std::uint64_t Stage::sample_bytes() const { return 4 * tape.values[static_cast<std::size_t>(output)]; }

std::vector<Stage> make_stages(const EarlyExitParams& params, const nn::Model* model, const Cluster& cluster) {
  if (model == nullptr) {
    throw InputError(
        "$.algorithm.name: \"early_exit\" needs a model, whose outputs decide what leaves; it is \"none\"");
  }
  const auto& layers = model->layers();
  const double all = model->forward_multiply_adds();
  const int classes = static_cast<int>(layers.back()->output().size());
  std::vector<int> cuts = checked_cuts(params, *model, cluster);
  cuts.push_back(static_cast<int>(layers.size()));
  std::vector<Stage> stages(cuts.size());
  std::size_t layer = 0, parameters = 0;
  std::vector<std::size_t> dropouts;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    Stage& stage = stages[s];
    stage.first = layer;
    stage.parameters.begin = parameters;
    stage.dropouts_before = dropouts;
    stage.tape.input_gradient = s > 0;
    stage.output = stage.tape.add_value(layers[layer]->input().size());
    for (; layer < static_cast<std::size_t>(cuts[s]); ++layer) {
      stage.output = stage.tape.apply(*layers[layer], stage.output);
      parameters += layers[layer]->parameter_count();
      const bool drops = dynamic_cast<const nn::Dropout*>(layers[layer].get()) != nullptr;
      if (drops && !layers[layer]->passes_through(true)) dropouts.push_back(layers[layer]->input().size());
    }
    stage.last = layer;
    stage.parameters.end = parameters;
    stage.share = stage.tape.multiply_adds(0, stage.tape.ops.size()) / (3 * all);
    if (s + 1 == stages.size() || stage.first == stage.last) continue;
    stage.exit = exit_from(layers[layer - 1]->output(), params, classes, model->math_mode());
    stage.exit_share = stage.exit.multiply_adds(0, stage.exit.ops.size()) / (3 * all);
  }
  return stages;
}

std::vector<float> initial_exit(const Stage& stage, int worker, std::uint64_t seed) {
  std::vector<float> weights(stage.exit.parameter_count);
  Stream random = stream(seed, "everybody", "exit " + std::to_string(worker));
  for (const TapeOp& op : stage.exit.ops) {
    op.layer->initialize(std::span(weights).subspan(op.parameters, op.layer->parameter_count()), random);
  }
  return weights;
}

// A stage may begin while the one before still trains its exit, so nothing is added to the busiest host or link.
Traffic EarlyExitParams::split_traffic(const nn::Model* model, const Cluster& cluster) const {
  const std::vector<Stage> stages = make_stages(*this, model, cluster);
  Traffic result{Pace::overlapped, {}, {}};
  const double samples = cluster.batch_size;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    result.compute_shares.push_back(3 * (stages[s].share + stages[s].exit_share));
    if (s + 1 == stages.size()) break;
    const double models =
        samples * static_cast<double>(stages[s].sample_bytes()) / static_cast<double>(cluster.model_bytes);
    const int worker = static_cast<int>(s);
    result.phases.push_back({{worker, worker + 1, models}});
    result.phases.push_back({{worker + 1, worker, models}});
  }
  return result;
}

std::vector<std::vector<std::uint32_t>> EarlyExitParams::split_parts(const nn::Model& model,
                                                                     const Cluster& cluster) const {
  std::vector<std::vector<std::uint32_t>> held;
  for (const Stage& stage : make_stages(*this, &model, cluster)) {
    auto& own = held.emplace_back(stage.parameters.size());
    std::iota(own.begin(), own.end(), static_cast<std::uint32_t>(stage.parameters.begin));
  }
  return held;
}

std::vector<SettingError> EarlyExitParams::errors(const Surroundings& around) const {
  std::vector<SettingError> list = errors_in(serving);
  if (!cuts.empty() && static_cast<int>(cuts.size()) + 1 != around.workers) {
    list.push_back({"cuts", std::to_string(cuts.size()) + " cuts for " + std::to_string(around.workers) +
                                " workers; expected one less than workers"});
  }
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const auto before = thresholds.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(thresholds.begin(), before, thresholds[i]) == before) continue;
    list.push_back({"thresholds", "name one twice; expected each once"});
    break;
  }
  return list;
}

MemoryUse EarlyExitParams::split_memory(const nn::Model* model, int) const {
  return replicas(model == nullptr ? 0 : model->parameter_count(), 1);
}

}  // namespace ddl::split

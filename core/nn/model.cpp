#include "core/nn/model.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/check.hpp"
#include "core/nn/build.hpp"
#include "core/nn/kernels/workspace.hpp"
#include "core/nn/layer.hpp"
#include "core/nn/layers/transformer/gpt.hpp"
#include "core/nn/softmax_cross_entropy.hpp"

namespace ddl::nn {
namespace {

// Samples, or positions of them, that are evaluated together: large enough for full-speed products, small enough for
// the cache.
constexpr std::size_t kEvaluationBatch = 100, kEvaluationPositions = 768;

// Training samples that statistics for an evaluation are estimated from, evenly spread over the set.
constexpr std::size_t kEstimationSamples = 400;

Score score_of(const LossSum& sum, std::size_t labels) {
  const auto count = static_cast<double>(labels);
  return {sum.loss / count, static_cast<double>(sum.correct) / count};
}

}  // namespace

struct Model::Parts {
  Shape input;
  int classes = 0;
  std::size_t positions = 1;
  MathMode mode = MathMode::portable;
  std::vector<std::unique_ptr<Layer>> layers;
  std::vector<std::size_t> offsets;  // where each layer's parameters begin
  std::vector<TensorInfo> tensors;
  std::vector<Matrix> matrices;
  std::size_t tied_values = 0;  // values of the first layer that the last one shares
  std::size_t parameter_count = 0;
  std::size_t first_learning = 0;  // layers before it need no gradients
  std::size_t last_learning = 0;   // where the parameters of the last layer that has some begin
  std::size_t widest = 0;          // values of a sample between layers, at most
  double multiply_adds = 0;

  // Fills workspace.values; the last is the network's output.
  void forward(std::span<const float> parameters, const data::Batch& batch, Stream* random, Workspace& workspace,
               std::optional<int> estimate = std::nullopt) const;
  void estimate(std::span<const float> parameters, const data::Dataset& training, Workspace& workspace) const;
};

Model::Model(const ModelSpec& spec, Shape input, int classes, MathMode mode) : parts_(std::make_unique<Parts>()) {
  Parts& parts = *parts_;
  parts.mode = mode = math_that_runs(mode);
  parts.input = input;
  parts.classes = classes;
  if (const auto gpt = gpt_of(spec)) {
    parts.layers = gpt_layers(*gpt, input, classes, mode);
    parts.positions = input.size();
  } else {
    parts.layers = build_layers(layers_of(spec, classes), input, classes, mode);
  }
  parts.tied_values = parts.layers.back()->tied_values();
  bool learning = false;
  for (std::size_t l = 0; l < parts.layers.size(); ++l) {
    const Layer& layer = *parts.layers[l];
    if (layer.parameter_count() > 0 && !learning) {
      learning = true;
      parts.first_learning = l;
    }
    parts.offsets.push_back(parts.parameter_count);
    if (layer.parameter_count() > 0) parts.last_learning = parts.parameter_count;
    parts.multiply_adds += layer.multiply_adds();
    parts.widest = std::max({parts.widest, layer.input().size(), layer.output().size()});
    parts.parameter_count += layer.parameter_count();
  }
  std::size_t offset = 0;
  for (const LayerTensor& tensor : named_tensors(parts.layers)) {
    parts.tensors.push_back({tensor.name, offset, tensor.count, tensor.rows});
    if (tensor.columns > 0) {
      const bool ends = parts.tied_values > 0 ? offset < parts.offsets[1] : offset >= parts.last_learning;
      const bool hidden = !ends && tensor.columns > 1;
      parts.matrices.push_back({offset, tensor.count / tensor.columns, tensor.columns, hidden});
    }
    offset += tensor.count;
  }
}

Model::~Model() = default;
Model::Model(Model&&) noexcept = default;

std::size_t Model::parameter_count() const { return parts_->parameter_count; }
std::size_t Model::whole_parameter_count() const {
  std::size_t count = 0;
  for (const auto& layer : parts_->layers) count += layer->whole_parameter_count();
  return count;
}
MathMode Model::math_mode() const { return parts_->mode; }
const std::vector<TensorInfo>& Model::tensors() const { return parts_->tensors; }
const std::vector<std::unique_ptr<Layer>>& Model::layers() const { return parts_->layers; }
std::vector<Model::LayerSize> Model::learning_layers() const {
  std::vector<LayerSize> sizes;
  for (const auto& layer : parts_->layers) {
    if (layer->parameter_count() > 0) sizes.push_back({layer->parameter_count(), layer->multiply_adds()});
  }
  return sizes;
}
const std::vector<Matrix>& Model::matrices() const { return parts_->matrices; }
std::size_t Model::positions() const { return parts_->positions; }
double Model::forward_multiply_adds() const { return parts_->multiply_adds; }

void Model::initialize(std::span<float> parameters, Stream& random) const {
  check(parameters.size() == parts_->parameter_count, "as many values as the model has parameters");
  for (std::size_t l = 0; l < parts_->layers.size(); ++l) {
    const Layer& layer = *parts_->layers[l];
    layer.initialize(parameters.subspan(parts_->offsets[l], layer.parameter_count()), random);
  }
}

void Model::Parts::forward(std::span<const float> parameters, const data::Batch& batch, Stream* random,
                           Workspace& workspace, std::optional<int> estimate) const {
  check(parameters.size() == parameter_count, "as many values as the model has parameters");
  check(batch.size() > 0 && batch.inputs.size() == batch.size() * input.size() && batch.positions == positions,
        "a batch of the model's samples");
  const bool training = random != nullptr;
  if (workspace.layers.size() < layers.size()) workspace.layers.resize(layers.size());
  workspace.values.assign(1, channels_last(batch, input, workspace.inputs));
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const Layer& layer = *layers[l];
    if (layer.passes_through(training)) {
      workspace.values.push_back(workspace.values.back());
      continue;
    }
    Workspace::PerLayer& own = workspace.layers[l];
    float* const output = own.output.room(batch.size() * layer.output().size());
    layer.forward({.batch = static_cast<int>(batch.size()),
                   .training = training,
                   .parameters = parameters.data() + offsets[l],
                   .input = workspace.values.back(),
                   .output = output,
                   .kept = own.kept,
                   .scratch = workspace.scratch,
                   .random = random,
                   .estimate = estimate,
                   .tied = parameters.data()});
    workspace.values.push_back(output);
  }
}

Score Model::gradient(std::span<const float> parameters, const data::Batch& batch, Stream& random,
                      std::span<float> gradient, Workspace& workspace) const {
  const Parts& parts = *parts_;
  check(gradient.size() == parts.parameter_count, "as many values as the model has parameters");
  parts.forward(parameters, batch, &random, workspace);
  // Gradients with respect to a layer's output and input; the two buffers swap roles from layer to layer.
  float* above = workspace.gradients[0].room(batch.size() * parts.widest);
  float* below = workspace.gradients[1].room(batch.size() * parts.widest);
  float* const tied = workspace.tied.room(parts.tied_values);
  const LossSum sum = softmax_cross_entropy(workspace.values.back(), batch.labels, parts.classes, above);
  for (std::size_t l = parts.layers.size(); l-- > parts.first_learning;) {
    const Layer& layer = *parts.layers[l];
    if (layer.passes_through(true)) continue;
    layer.backward({.batch = static_cast<int>(batch.size()),
                    .parameters = parameters.data() + parts.offsets[l],
                    .input = workspace.values[l],
                    .output = workspace.values[l + 1],
                    .output_gradient = above,
                    .input_gradient = l == parts.first_learning ? nullptr : below,
                    .parameter_gradient = gradient.data() + parts.offsets[l],
                    .kept = workspace.layers[l].kept,
                    .scratch = workspace.scratch,
                    .tied = parameters.data(),
                    .tied_gradient = tied});
    std::swap(above, below);
  }
  for (std::size_t i = 0; i < parts.tied_values; ++i) gradient[i] += tied[i];
  return score_of(sum, batch.labels.size());
}

std::vector<std::vector<std::uint32_t>> estimation_batches(std::size_t training_samples) {
  const std::size_t samples = std::min(kEstimationSamples, training_samples);
  std::vector<std::vector<std::uint32_t>> batches((samples + kEvaluationBatch - 1) / kEvaluationBatch);
  for (std::size_t i = 0; i < samples; ++i) {
    batches[i * batches.size() / samples].push_back(static_cast<std::uint32_t>(i * training_samples / samples));
  }
  return batches;
}

void Model::Parts::estimate(std::span<const float> parameters, const data::Dataset& training,
                            Workspace& workspace) const {
  int batch = 0;
  for (const auto& numbers : estimation_batches(training.size())) {
    data::gather(training, numbers, workspace.batch);
    forward(parameters, workspace.batch, nullptr, workspace, batch++);
  }
}

std::size_t Model::evaluated_together() const {
  return parts_->positions == 1 ? kEvaluationBatch : std::max<std::size_t>(1, kEvaluationPositions / parts_->positions);
}

bool Model::needs_estimates() const {
  return std::ranges::any_of(parts_->layers, [](const auto& layer) { return layer->needs_estimates(); });
}

template <class Visit>
void Model::each_batch(std::span<const float> parameters, const data::Dataset& data, std::size_t samples,
                       Workspace& workspace, const data::Dataset* training, Visit visit) const {
  check(samples > 0 && samples <= data.size(), "as many samples as there are");
  if (needs_estimates()) {
    check(training != nullptr, "training samples to estimate statistics from");
    parts_->estimate(parameters, *training, workspace);
  }
  const std::size_t together = evaluated_together();
  for (std::size_t first = 0; first < samples; first += together) {
    workspace.indices.resize(std::min(together, samples - first));
    std::iota(workspace.indices.begin(), workspace.indices.end(), static_cast<std::uint32_t>(first));
    data::gather(data, workspace.indices, workspace.batch);
    parts_->forward(parameters, workspace.batch, nullptr, workspace);
    visit(workspace.values.back(), workspace.batch.labels);
  }
}

Score Model::evaluate(std::span<const float> parameters, const data::Dataset& data, std::size_t samples,
                      Workspace& workspace, const data::Dataset* training) const {
  LossSum total;
  each_batch(parameters, data, samples, workspace, training, [&](const float* outputs, const auto& labels) {
    const LossSum sum = softmax_cross_entropy(outputs, labels, parts_->classes, nullptr);
    total.loss += sum.loss;
    total.correct += sum.correct;
  });
  return score_of(total, samples * parts_->positions);
}

std::vector<std::uint8_t> Model::classify(std::span<const float> parameters, const data::Dataset& data,
                                          std::size_t samples, Workspace& workspace,
                                          const data::Dataset* training) const {
  check(parts_->positions == 1, "a class for each sample");
  std::vector<std::uint8_t> classes;
  each_batch(parameters, data, samples, workspace, training, [&](const float* outputs, const auto& labels) {
    for (std::size_t i = 0; i < labels.size(); ++i, outputs += parts_->classes) {
      classes.push_back(static_cast<std::uint8_t>(std::max_element(outputs, outputs + parts_->classes) - outputs));
    }
  });
  return classes;
}

std::unique_ptr<Workspace, void (*)(Workspace*)> make_workspace() {
  return {new Workspace, [](Workspace* workspace) { delete workspace; }};
}

}  // namespace ddl::nn

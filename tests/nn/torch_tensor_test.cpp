// How PyTorch has the parameters of a model.
#include "core/nn/torch_tensor.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "core/nn/model.hpp"
#include "tests/nn/model_samples.hpp"

namespace ddl::nn {
namespace {

using Floats = std::vector<float>;

std::map<std::string, TorchTensor> tensors_of(const Model& model) {
  std::map<std::string, TorchTensor> found;
  for (const TorchTensor& tensor : torch_tensors(model)) found[tensor.name] = tensor;
  return found;
}

std::size_t values_in(const TorchTensor& tensor) {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::size_t{1}, std::multiplies());
}

// A convolution of one image as PyTorch defines it: planes, weights filters x channels x kernel x kernel.
Floats convolved(const Floats& image, Shape shape, const Floats& weight, const Floats& bias, int filters, int kernel,
                 int stride) {
  Floats result;
  const int pad = (kernel - 1) / 2;
  for (int f = 0; f < filters; ++f) {
    for (int y = 0; y < shape.height; y += stride) {
      for (int x = 0; x < shape.width; x += stride) {
        double sum = bias[unsigned_of(f)];
        for (int c = 0; c < shape.channels; ++c) {
          for (int i = 0; i < kernel; ++i) {
            for (int j = 0; j < kernel; ++j) {
              const int row = y + i - pad, column = x + j - pad;
              if (row < 0 || row >= shape.height || column < 0 || column >= shape.width) continue;
              sum += static_cast<double>(image[unsigned_of((c * shape.height + row) * shape.width + column)]) *
                     weight[unsigned_of(((f * shape.channels + c) * kernel + i) * kernel + j)];
            }
          }
        }
        result.push_back(static_cast<float>(std::max(0.0, sum)));
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("every parameter of every named model has one place in PyTorch's tensors") {
  for (const NamedModel& named : named_models()) {
    const std::string name = named.name;
    if (name.starts_with("vgg") || name.starts_with("resnet34")) continue;  // large, and of the same layers
    INFO(named.name);
    const Model model({.name = named.name, .layers = {}}, named.input, 10);
    std::vector<int> seen(model.parameter_count());
    std::size_t whole = 0;
    for (const TorchTensor& tensor : torch_tensors(model)) {
      CHECK(values_in(tensor) == tensor.sources.size());
      whole += tensor.sources.size();
      for (const std::uint32_t source : tensor.sources) {
        if (source != TorchTensor::nothing) ++seen.at(source);
      }
    }
    CHECK(std::ranges::all_of(seen, [](int times) { return times == 1; }));
    CHECK(whole == model.whole_parameter_count());
  }
}

TEST_CASE("a network computed from PyTorch's tensors, plane by plane, has the model's loss") {
  const Shape shape{2, 5, 4};
  const Model model(
      layers({ConvSpec{.filters = 3, .kernel = 3}, ReluSpec{}, ConvSpec{.filters = 4, .kernel = 3, .stride = 2},
              ReluSpec{}, FlattenSpec{}, TanhSpec{}, DenseSpec{.units = 6}, ReluSpec{}, DenseSpec{.units = 3}}),
      shape, 3);
  const Floats parameters = moved_parameters(model);
  std::map<std::string, Floats> at;
  for (const auto& [name, tensor] : tensors_of(model)) at[name] = values_of(tensor, parameters);
  const data::Batch batch = random_batch(shape, 1, 3, 5);
  const Floats first = convolved(batch.inputs, shape, at["conv1.weight"], at["conv1.bias"], 3, 3, 1);
  Floats values = convolved(first, {3, 5, 4}, at["conv2.weight"], at["conv2.bias"], 4, 3, 2);
  REQUIRE(values.size() == 4 * 3 * 2);
  for (float& value : values) value = std::tanh(value);
  for (const char* layer : {"dense1", "dense2"}) {
    const Floats &weight = at[std::string(layer) + ".weight"], &bias = at[std::string(layer) + ".bias"];
    Floats result;
    for (std::size_t unit = 0; unit < bias.size(); ++unit) {
      double sum = bias[unit];
      for (std::size_t i = 0; i < values.size(); ++i)
        sum += static_cast<double>(values[i]) * weight[unit * values.size() + i];
      result.push_back(static_cast<float>(std::string(layer) == "dense1" ? std::max(0.0, sum) : sum));
    }
    values = result;
  }
  double sum = 0;
  for (const float value : values) sum += std::exp(static_cast<double>(value));
  const double loss = std::log(sum) - values[batch.labels[0]];
  Floats gradient(parameters.size());
  Stream random(1);
  CHECK(model.gradient(parameters, batch, random, gradient, *make_workspace()).loss ==
        doctest::Approx(loss).epsilon(1e-5));
}

TEST_CASE("groups of a convolution are one tensor, removed weights are zeros, and parts of a block are named by it") {
  const Shape shape{4, 6, 6};
  const Model grouped(layers({ConvSpec{.filters = 6, .kernel = 3, .groups = 2}, FlattenSpec{}, DenseSpec{.units = 3}}),
                      shape, 3);
  const auto own = tensors_of(grouped);
  CHECK(own.at("conv1.weight").shape == std::vector<std::size_t>{6, 2, 3, 3});
  CHECK(own.at("conv1.bias").shape == std::vector<std::size_t>{6});
  // The second group's first weight comes after the first group's 54 weights and 3 biases.
  CHECK(own.at("conv1.weight").sources[3 * 2 * 9] == 57);

  const Model masked(layers({FlattenSpec{}, DenseSpec{.units = 9, .mask = Mask::bibd}, DenseSpec{.units = 3}}),
                     {1, 3, 3}, 3);
  const auto sparse = tensors_of(masked).at("dense1.weight");
  CHECK(sparse.shape == std::vector<std::size_t>{9, 9});
  CHECK(std::ranges::count(sparse.sources, TorchTensor::nothing) == 81 - 27);  // a plane of order 3: 3 of 9 in each row
  const Floats values = values_of(sparse, Floats(masked.parameter_count(), 2.5f));
  CHECK(std::ranges::count(values, 2.5f) == 27);
  CHECK(std::ranges::count(values, 0.0f) == 54);

  const Model residual(layers({ResidualSpec{.filters = 8}, GlobalAveragePoolSpec{}, DenseSpec{.units = 3}}), shape, 3);
  const auto block = tensors_of(residual);
  CHECK(block.contains("residual1.conv2.weight"));
  CHECK(block.contains("residual1.batch_norm1.bias"));
  CHECK(block.contains("residual1.shortcut.batch_norm1.weight"));
}

}  // namespace ddl::nn

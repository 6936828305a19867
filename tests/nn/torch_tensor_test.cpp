// PyTorch's form of a model's parameters. Another test runs PyTorch and shows that it computes the same with them.
#include "core/nn/torch_tensor.hpp"

#include <doctest/doctest.h>

#include <algorithm>
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
      if (tensor.repeats) continue;
      whole += tensor.sources.size();
      for (const std::uint32_t source : tensor.sources) {
        if (source != TorchTensor::nothing) ++seen.at(source);
      }
    }
    CHECK(std::ranges::all_of(seen, [](int times) { return times == 1; }));
    CHECK(whole == model.whole_parameter_count());
  }
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

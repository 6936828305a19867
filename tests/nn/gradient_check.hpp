// A layer on its own: runs it, and compares its backward pass with central differences of its forward pass.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/base/rng.hpp"
#include "core/nn/build.hpp"
#include "core/nn/layer.hpp"

namespace ddl::nn {

inline std::vector<float> normal_values(std::size_t count, std::uint64_t seed, double scale = 1) {
  Stream random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(scale * random.normal());
  return values;
}

inline double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(double{a[i]} - b[i]));
  return largest;
}

// The first of the layers of a model that begins with `specs`, then learns something and gives a value per class.
inline std::unique_ptr<Layer> layer_of(std::vector<LayerSpec> specs, Shape input, MathMode mode = MathMode::portable) {
  specs.insert(specs.end(), {FlattenSpec{}, DenseSpec{.units = 2}});
  return std::move(build_layers(specs, input, 2, mode).front());
}

// In training, with draws from a stream of seed 5.
inline std::vector<float> run_forward(const Layer& layer, int batch, const std::vector<float>& parameters,
                                      const std::vector<float>& input, Buffer& kept) {
  Buffer scratch;
  Stream random(5);
  std::vector<float> output(static_cast<std::size_t>(batch) * layer.output().size() + Buffer::kSlack, -77);
  layer.forward({.batch = batch,
                 .training = true,
                 .parameters = parameters.data(),
                 .input = input.data(),
                 .output = output.data(),
                 .kept = kept,
                 .scratch = scratch,
                 .random = &random});
  output.resize(output.size() - Buffer::kSlack);
  return output;
}
inline std::vector<float> run_forward(const Layer& layer, int batch, const std::vector<float>& parameters,
                                      const std::vector<float>& input) {
  Buffer kept;
  return run_forward(layer, batch, parameters, input, kept);
}

// Both passes at one point.
struct Passes {
  std::vector<float> output, input_gradient, parameter_gradient;
};

inline Passes passes_of(const Layer& layer, int batch, const std::vector<float>& parameters,
                        const std::vector<float>& input, std::vector<float> output_gradient) {
  Buffer kept, scratch;
  Passes p{run_forward(layer, batch, parameters, input, kept), std::vector<float>(input.size(), 1e9f),
           std::vector<float>(parameters.size() + 1, 1e9f)};
  layer.backward({.batch = batch,
                  .parameters = parameters.data(),
                  .input = input.data(),
                  .output = p.output.data(),
                  .output_gradient = output_gradient.data(),
                  .input_gradient = p.input_gradient.data(),
                  .parameter_gradient = p.parameter_gradient.data(),
                  .kept = kept,
                  .scratch = scratch});
  p.parameter_gradient.pop_back();
  return p;
}

// Checks gradients of sum of weight_i output_i, whose gradient with respect to the outputs is `weight`, by every input
// and parameter.
inline void check_gradients(const Layer& layer, int batch, float step, double tolerance) {
  std::vector<float> parameters = normal_values(layer.parameter_count(), 1);
  std::vector<float> input = normal_values(static_cast<std::size_t>(batch) * layer.input().size(), 2);
  const std::vector<float> weight = normal_values(static_cast<std::size_t>(batch) * layer.output().size(), 99);
  const Passes found = passes_of(layer, batch, parameters, input, weight);
  const auto value = [&] {
    const std::vector<float> now = run_forward(layer, batch, parameters, input);
    double sum = 0;
    for (std::size_t i = 0; i < now.size(); ++i) sum += static_cast<double>(weight[i]) * now[i];
    return sum;
  };
  const auto slope = [&](float& at, float distance) {
    const float here = at, above = here + distance, below = here - distance;
    at = above;
    const double high = value();
    at = below;
    const double low = value();
    at = here;
    return (high - low) / (static_cast<double>(above) - below);
  };
  std::size_t smooth = 0;
  const auto compare = [&](std::vector<float>& values, const std::vector<float>& gradient) {
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double wide = slope(values[i], step), near = slope(values[i], step / 2),
                   size = std::max(1.0, std::fabs(near));
      if (std::fabs(wide - near) > tolerance / 2 * size) continue;  // a kink of relu or max_pool lies there
      ++smooth;
      worst = std::max(worst, std::fabs(near - gradient[i]) / size);
    }
    CHECK(worst < tolerance);
  };
  compare(input, found.input_gradient);
  compare(parameters, found.parameter_gradient);
  CHECK(static_cast<double>(smooth) >= 0.8 * static_cast<double>(input.size() + parameters.size()));
}

}  // namespace ddl::nn

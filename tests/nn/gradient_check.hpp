// A layer on its own: runs it, and compares its backward pass with central differences of its forward pass.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/rng.hpp"
#include "core/nn/layer.hpp"

namespace ddl::nn {

inline std::vector<float> normal_values(std::size_t count, std::uint64_t seed, double scale = 1) {
  Stream random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(scale * random.normal());
  return values;
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

// The function checked is sum of weight_i output_i, whose gradient with respect to the outputs is `weight`.
inline void check_gradients(const Layer& layer, int batch, std::vector<float> parameters, std::vector<float> input,
                            float step = 1.0f / 64, double tolerance = 1e-3) {
  Buffer kept, scratch;
  const std::vector<float> output = run_forward(layer, batch, parameters, input, kept);
  const std::vector<float> weight = normal_values(output.size(), 99);
  std::vector<float> output_gradient = weight;
  std::vector<float> input_gradient(input.size(), 1e9f), parameter_gradient(parameters.size(), 1e9f);
  layer.backward({.batch = batch,
                  .parameters = parameters.data(),
                  .input = input.data(),
                  .output = output.data(),
                  .output_gradient = output_gradient.data(),
                  .input_gradient = input_gradient.data(),
                  .parameter_gradient = parameter_gradient.data(),
                  .kept = kept,
                  .scratch = scratch});

  const auto value = [&] {
    const std::vector<float> now = run_forward(layer, batch, parameters, input, kept);
    double sum = 0;
    for (std::size_t i = 0; i < now.size(); ++i) sum += static_cast<double>(weight[i]) * now[i];
    return sum;
  };
  const auto compare = [&](std::vector<float>& values, const std::vector<float>& gradient) {
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float kept_value = values[i], above = kept_value + step, below = kept_value - step;
      values[i] = above;
      const double high = value();
      values[i] = below;
      const double low = value();
      values[i] = kept_value;
      const double slope = (high - low) / (static_cast<double>(above) - below);
      worst = std::max(worst, std::fabs(slope - gradient[i]) / std::max(1.0, std::fabs(slope)));
    }
    CHECK(worst < tolerance);
  };
  compare(input, input_gradient);
  compare(parameters, parameter_gradient);
}

}  // namespace ddl::nn

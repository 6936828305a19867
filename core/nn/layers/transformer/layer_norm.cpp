#include "core/nn/layers/transformer/layer_norm.hpp"

#include <algorithm>
#include <cmath>

#include "core/nn/kernels/lane_sums.hpp"
#include "core/nn/layers/affine.hpp"

namespace ddl::nn {

std::vector<TorchTensor> LayerNorm::torch_tensors(Shape) const {
  TorchTensor scale = torch_vector("weight", 0, channels());
  return {std::move(scale)};
}

void LayerNorm::initialize(std::span<float> parameters, Stream&) const { std::ranges::fill(parameters, 1.0f); }

void LayerNorm::forward(const ForwardCall& call) const {
  constexpr float epsilon = 1e-5f;
  const std::size_t width = channels(), count = rows(call.batch);
  const auto share = 1 / static_cast<float>(width);
  float* kept = call.kept.room(2 * count);  // each row's mean, and one over its deviation
  float* const centred = call.scratch.room(width);
  const float* x = call.input;
  float* y = call.output;
  for (std::size_t row = 0; row < count; ++row, x += width, y += width, kept += 2) {
    const float mean = kept[0] = sum_of(x, width) * share;
    for (std::size_t c = 0; c < width; ++c) centred[c] = x[c] - mean;
    const float factor = kept[1] = 1 / std::sqrt(dot(centred, centred, width) * share + epsilon);
    for (std::size_t c = 0; c < width; ++c) y[c] = centred[c] * factor * call.parameters[c];
  }
}

// With x^ = (x - mean) / deviation and g = w dy: dx = (g - mean(g) - x^ mean(g x^)) / deviation, dw = sum of dy x^.
void LayerNorm::backward(const BackwardCall& call) const {
  const std::size_t width = channels(), count = rows(call.batch);
  const auto share = 1 / static_cast<float>(width);
  const float* kept = call.kept.data();
  const float* __restrict const weights = call.parameters;
  float* __restrict const normal = call.scratch.room(2 * width);
  float* __restrict const slope = normal + width;
  float* __restrict const weight_gradient = call.parameter_gradient;
  std::fill(weight_gradient, weight_gradient + width, 0.0f);
  for (std::size_t row = 0; row < count; ++row, kept += 2) {
    const float* __restrict const x = call.input + row * width;
    const float* __restrict const above = call.output_gradient + row * width;
    const float mean = kept[0], factor = kept[1];
    for (std::size_t c = 0; c < width; ++c) normal[c] = (x[c] - mean) * factor;
    for (std::size_t c = 0; c < width; ++c) slope[c] = above[c] * weights[c];
    for (std::size_t c = 0; c < width; ++c) weight_gradient[c] += above[c] * normal[c];
    if (call.input_gradient == nullptr) continue;
    const float level = sum_of(slope, width) * share, tilt = dot(slope, normal, width) * share;
    float* __restrict const below = call.input_gradient + row * width;
    for (std::size_t c = 0; c < width; ++c) below[c] = factor * (slope[c] - level - normal[c] * tilt);
  }
}

}  // namespace ddl::nn

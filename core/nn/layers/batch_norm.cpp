#include "core/nn/layers/batch_norm.hpp"

#include <algorithm>
#include <cmath>

namespace ddl::nn {
namespace {

constexpr double kEpsilon = 1e-5;

float inverse_deviation(double variance) { return static_cast<float>(1 / std::sqrt(variance + kEpsilon)); }

}  // namespace

std::vector<LayerTensor> BatchNorm::tensors() const {
  return {{"scale", channels(), channels()}, {"shift", channels(), channels()}};
}

// PyTorch calls the scale weight and the shift bias.
std::vector<TorchTensor> BatchNorm::torch_tensors(Shape input) const {
  TorchTensor weight{"weight", {channels()}, {}}, bias{"bias", {channels()}, {}};
  const bool flattened = input.size() == channels();  // then every value of the sample is a channel
  for (std::size_t channel = 0; channel < channels(); ++channel) {
    const std::size_t own = flattened ? place_of_value(input, channel) : channel;
    weight.sources.push_back(static_cast<std::uint32_t>(own));
    bias.sources.push_back(static_cast<std::uint32_t>(channels() + own));
  }
  return {std::move(weight), std::move(bias)};
}

void BatchNorm::initialize(std::span<float> parameters, Stream&) const {
  std::ranges::fill(parameters.first(channels()), 1.0f);
  std::ranges::fill(parameters.subspan(channels()), 0.0f);
}

LayerShare BatchNorm::share(std::span<const std::uint32_t> chosen) const {
  std::vector<std::uint32_t> places(chosen.begin(), chosen.end());
  for (const std::uint32_t channel : chosen) places.push_back(static_cast<std::uint32_t>(channels()) + channel);
  return {std::make_unique<BatchNorm>(with_channels(input(), chosen.size())), std::move(places)};
}

BatchNorm::Statistics BatchNorm::statistics(Buffer& kept) const {
  float* const mean = kept.room(4 * channels());
  return {mean, mean + channels(), mean + 2 * channels(), mean + 3 * channels()};
}

void BatchNorm::forward(const ForwardCall& call) const {
  const std::size_t width = channels(), rows = pixels(call.batch);
  const Statistics of = statistics(call.kept);
  if (call.training || call.estimate) {
    std::vector<double> sums(width, 0), squares(width, 0);
    const float* x = call.input;
    for (std::size_t row = 0; row < rows; ++row, x += width) {
      for (std::size_t c = 0; c < width; ++c) sums[c] += x[c];
    }
    for (double& sum : sums) sum /= static_cast<double>(rows);
    x = call.input;
    for (std::size_t row = 0; row < rows; ++row, x += width) {
      for (std::size_t c = 0; c < width; ++c) squares[c] += (x[c] - sums[c]) * (x[c] - sums[c]);
    }
    for (std::size_t c = 0; c < width; ++c) {
      const double variance = squares[c] / static_cast<double>(rows);
      of.mean[c] = static_cast<float>(sums[c]);
      of.inverse[c] = inverse_deviation(variance);
      if (!call.estimate) continue;
      // The mean over the batches so far.
      const auto before = static_cast<double>(*call.estimate);
      of.estimated_mean[c] =
          static_cast<float>(before == 0 ? sums[c] : (before * of.estimated_mean[c] + sums[c]) / (before + 1));
      of.estimated_variance[c] =
          static_cast<float>(before == 0 ? variance : (before * of.estimated_variance[c] + variance) / (before + 1));
    }
  } else {
    std::copy_n(of.estimated_mean, width, of.mean);
    for (std::size_t c = 0; c < width; ++c) of.inverse[c] = inverse_deviation(of.estimated_variance[c]);
  }
  const float *scale = call.parameters, *shift = scale + width;
  const float* x = call.input;
  float* y = call.output;
  for (std::size_t row = 0; row < rows; ++row, x += width, y += width) {
    for (std::size_t c = 0; c < width; ++c) y[c] = (x[c] - of.mean[c]) * of.inverse[c] * scale[c] + shift[c];
  }
}

void BatchNorm::backward(const BackwardCall& call) const {
  const std::size_t width = channels(), rows = pixels(call.batch);
  const Statistics of = statistics(call.kept);
  std::vector<double> shifts(width, 0), scales(width, 0);  // sums of the gradient, and of it times the normalised input
  const float *x = call.input, *g = call.output_gradient;
  for (std::size_t row = 0; row < rows; ++row, x += width, g += width) {
    for (std::size_t c = 0; c < width; ++c) {
      shifts[c] += g[c];
      scales[c] += static_cast<double>(g[c]) * ((x[c] - of.mean[c]) * of.inverse[c]);
    }
  }
  for (std::size_t c = 0; c < width; ++c) {
    call.parameter_gradient[c] = static_cast<float>(scales[c]);
    call.parameter_gradient[width + c] = static_cast<float>(shifts[c]);
  }
  if (call.input_gradient == nullptr) return;
  // Each input also changes the mean and the variance of its channel.
  std::vector<float> factor(width), shift_mean(width), scale_mean(width);
  for (std::size_t c = 0; c < width; ++c) {
    factor[c] = call.parameters[c] * of.inverse[c];
    shift_mean[c] = static_cast<float>(shifts[c] / static_cast<double>(rows));
    scale_mean[c] = static_cast<float>(scales[c] / static_cast<double>(rows));
  }
  x = call.input, g = call.output_gradient;
  float* below = call.input_gradient;
  for (std::size_t row = 0; row < rows; ++row, x += width, g += width, below += width) {
    for (std::size_t c = 0; c < width; ++c) {
      const float normalised = (x[c] - of.mean[c]) * of.inverse[c];
      below[c] = factor[c] * (g[c] - shift_mean[c] - normalised * scale_mean[c]);
    }
  }
}

}  // namespace ddl::nn

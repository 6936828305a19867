#include "core/nn/layers/affine.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ddl::nn {

void initialize_affine(Init init, Fan fan, std::span<float> parameters, Stream& random) {
  const auto weight = parameters.first(fan.in * fan.outputs), bias = parameters.subspan(weight.size());
  if (init == Init::zero) {
    std::fill(parameters.begin(), parameters.end(), 0.0f);
    return;
  }
  if (init == Init::he || init == Init::he_out) {
    const double deviation = std::sqrt(2.0 / static_cast<double>(init == Init::he ? fan.in : fan.out));
    for (float& value : weight) value = static_cast<float>(deviation * random.normal());
    std::fill(bias.begin(), bias.end(), 0.0f);
    return;
  }
  if (init == Init::uniform) {
    const double most = 1 / std::sqrt(static_cast<double>(fan.in));
    for (float& value : parameters) value = static_cast<float>(most * (2 * random.uniform() - 1));
    return;
  }
  for (float& value : weight) {
    double draw = random.normal();
    while (draw < -2 || draw > 2) draw = random.normal();
    value = static_cast<float>(0.1 * draw);
  }
  std::fill(bias.begin(), bias.end(), 0.1f);
}

std::vector<std::uint32_t> affine_part(std::size_t rows, std::size_t outputs, bool bias,
                                       std::span<const std::uint32_t> chosen) {
  std::vector<std::uint32_t> places;
  places.reserve((rows + 1) * chosen.size());
  for (std::size_t row = 0; row < rows + (bias ? 1 : 0); ++row) {
    for (const std::uint32_t output : chosen) places.push_back(static_cast<std::uint32_t>(row * outputs + output));
  }
  return places;
}

TorchTensor torch_vector(const char* name, std::size_t first, std::size_t count) {
  TorchTensor vector{name, {count}, std::vector<std::uint32_t>(count)};
  std::iota(vector.sources.begin(), vector.sources.end(), static_cast<std::uint32_t>(first));
  return vector;
}

void bias_backward(const float* __restrict values, std::size_t rows, std::size_t outputs, bool relu,
                   float* __restrict gradient, float* __restrict bias_gradient, float* __restrict sums) {
  if (relu) {
    for (std::size_t i = 0; i < rows * outputs; ++i) gradient[i] = values[i] > 0 ? gradient[i] : 0;
  }
  std::fill(sums, sums + outputs, 0.0f);
  std::size_t row = 0;
  // Four rows at a time, so that an addition to the sums need not wait for the previous one to be stored.
  for (; row + 4 <= rows; row += 4, gradient += 4 * outputs) {
    const float *one = gradient, *two = one + outputs, *three = two + outputs, *four = three + outputs;
    for (std::size_t j = 0; j < outputs; ++j) sums[j] += (one[j] + two[j]) + (three[j] + four[j]);
  }
  for (; row < rows; ++row, gradient += outputs) {
    for (std::size_t j = 0; j < outputs; ++j) sums[j] += gradient[j];
  }
  for (std::size_t j = 0; j < outputs; ++j) bias_gradient[j] += sums[j];
}

}  // namespace ddl::nn

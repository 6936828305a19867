#include "core/nn/layers/global_average_pool.hpp"

#include <algorithm>

namespace ddl::nn {

void GlobalAveragePool::forward(const ForwardCall& call) const {
  const float* from = call.input;
  float* mean = call.output;
  const float share = 1 / static_cast<float>(pixels());
  for (int i = 0; i < call.batch; ++i, mean += channels()) {
    std::fill(mean, mean + channels(), 0.0f);
    for (std::size_t pixel = 0; pixel < pixels(); ++pixel, from += channels()) {
      for (std::size_t c = 0; c < channels(); ++c) mean[c] += from[c];
    }
    for (std::size_t c = 0; c < channels(); ++c) mean[c] *= share;
  }
}

void GlobalAveragePool::backward(const BackwardCall& call) const {
  if (call.input_gradient == nullptr) return;
  const float* of_mean = call.output_gradient;
  float* to = call.input_gradient;
  const float share = 1 / static_cast<float>(pixels());
  for (int i = 0; i < call.batch; ++i, of_mean += channels()) {
    for (std::size_t pixel = 0; pixel < pixels(); ++pixel, to += channels()) {
      for (std::size_t c = 0; c < channels(); ++c) to[c] = of_mean[c] * share;
    }
  }
}

}  // namespace ddl::nn

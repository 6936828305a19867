#include "core/nn/layers/elementwise.hpp"

#include <algorithm>

#include "core/base/portable_math.hpp"

namespace ddl::nn {

void Relu::forward(const ForwardCall& call) const {
  const std::size_t count = static_cast<std::size_t>(call.batch) * input().size();
  for (std::size_t i = 0; i < count; ++i) call.output[i] = call.input[i] > 0 ? call.input[i] : 0;
}

void Relu::backward(const BackwardCall& call) const {
  if (call.input_gradient == nullptr) return;
  const std::size_t count = static_cast<std::size_t>(call.batch) * input().size();
  for (std::size_t i = 0; i < count; ++i) {
    call.input_gradient[i] = call.output[i] > 0 ? call.output_gradient[i] : 0;
  }
}

void Tanh::forward(const ForwardCall& call) const {
  const std::size_t count = static_cast<std::size_t>(call.batch) * input().size();
  portable_tanh({call.input, count}, {call.output, count});
}

void Tanh::backward(const BackwardCall& call) const {
  if (call.input_gradient == nullptr) return;
  const std::size_t count = static_cast<std::size_t>(call.batch) * input().size();
  for (std::size_t i = 0; i < count; ++i) {
    call.input_gradient[i] = call.output_gradient[i] * (1 - call.output[i] * call.output[i]);
  }
}

void Gelu::forward(const ForwardCall& call) const {
  const std::size_t count = static_cast<std::size_t>(call.batch) * input().size();
  portable_gelu({call.input, count}, {call.output, count}, {call.kept.room(count), count});
}

void Gelu::backward(const BackwardCall& call) const {
  if (call.input_gradient == nullptr) return;
  const std::size_t count = static_cast<std::size_t>(call.batch) * input().size();
  const float* const slopes = call.kept.data();
  for (std::size_t i = 0; i < count; ++i) call.input_gradient[i] = call.output_gradient[i] * slopes[i];
}

void Flatten::forward(const ForwardCall& call) const {
  std::copy_n(call.input, static_cast<std::size_t>(call.batch) * input().size(), call.output);
}

void Flatten::backward(const BackwardCall& call) const {
  if (call.input_gradient == nullptr) return;
  std::copy_n(call.output_gradient, static_cast<std::size_t>(call.batch) * input().size(), call.input_gradient);
}

}  // namespace ddl::nn

#include "core/nn/layers/tanh.hpp"

#include "core/base/portable_math.hpp"

namespace ddl::nn {

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

}  // namespace ddl::nn

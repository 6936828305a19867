#include "core/nn/layers/relu.hpp"

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

}  // namespace ddl::nn

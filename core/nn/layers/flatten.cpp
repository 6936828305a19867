#include "core/nn/layers/flatten.hpp"

#include <algorithm>

namespace ddl::nn {

void Flatten::forward(const ForwardCall& call) const {
  std::copy_n(call.input, static_cast<std::size_t>(call.batch) * input().size(), call.output);
}

void Flatten::backward(const BackwardCall& call) const {
  if (call.input_gradient == nullptr) return;
  std::copy_n(call.output_gradient, static_cast<std::size_t>(call.batch) * input().size(), call.input_gradient);
}

}  // namespace ddl::nn

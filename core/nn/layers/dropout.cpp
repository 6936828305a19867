#include "core/nn/layers/dropout.hpp"

#include <algorithm>

#include "core/base/check.hpp"

namespace ddl::nn {

Dropout::Dropout(Shape shape, const DropoutSpec& spec)
    : Layer(shape, shape),
      threshold_(static_cast<std::uint32_t>(std::min(spec.rate * 0x1p32, 0x1p32 - 1))),
      scale_(static_cast<float>(1 / (1 - spec.rate))) {}

void Dropout::forward(const ForwardCall& call) const {
  const std::size_t count = static_cast<std::size_t>(call.batch) * input().size();
  float* const factors = call.kept.room(count);
  if (passes_through(call.training)) {
    std::fill(factors, factors + count, 1.0f);
  } else {
    check(call.random != nullptr, "training with dropout draws from a stream");
    // With an odd count, the second factor of the last pair is written to the slack behind the buffer.
    for (std::size_t i = 0; i < count; i += 2) {
      const std::uint64_t bits = call.random->bits();
      factors[i] = static_cast<std::uint32_t>(bits >> 32) < threshold_ ? 0 : scale_;
      factors[i + 1] = static_cast<std::uint32_t>(bits) < threshold_ ? 0 : scale_;
    }
  }
  for (std::size_t i = 0; i < count; ++i) call.output[i] = call.input[i] * factors[i];
}

void Dropout::backward(const BackwardCall& call) const {
  if (call.input_gradient == nullptr) return;
  const std::size_t count = static_cast<std::size_t>(call.batch) * input().size();
  const float* const factors = call.kept.data();
  for (std::size_t i = 0; i < count; ++i) call.input_gradient[i] = call.output_gradient[i] * factors[i];
}

}  // namespace ddl::nn

// A sample's values as one flat vector, in the order in which they are stored; computes nothing.
#pragma once

#include "core/nn/layer.hpp"

namespace ddl::nn {

class Flatten final : public Layer {
 public:
  explicit Flatten(Shape input) : Layer(input, {static_cast<int>(input.size()), 1, 1}) {}
  const char* kind() const override { return "flatten"; }
  bool passes_through(bool) const override { return true; }
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;
};

}  // namespace ddl::nn

// Hyperbolic tangent (LeCun et al., Efficient BackProp, 1998), with the same bits on every machine.
#pragma once

#include "core/nn/layer.hpp"

namespace ddl::nn {

class Tanh final : public Layer {
 public:
  explicit Tanh(Shape shape) : Layer(shape, shape) {}
  const char* kind() const override { return "tanh"; }
  int groups() const override { return input().channels; }
  LayerShare share(std::span<const std::uint32_t> channels) const override {
    return {std::make_unique<Tanh>(with_channels(input(), channels.size())), {}};
  }
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;
};

}  // namespace ddl::nn

// Rectified linear unit, max(0, x) (Nair and Hinton, ICML 2010). Directly after a dense or convolutional layer, a model
// does not use this class: that layer applies ReLU while its result is in the cache.
#pragma once

#include "core/nn/layer.hpp"

namespace ddl::nn {

class Relu final : public Layer {
 public:
  explicit Relu(Shape shape) : Layer(shape, shape) {}
  const char* kind() const override { return "relu"; }
  int groups() const override { return input().channels; }
  LayerShare share(std::span<const std::uint32_t> channels) const override {
    return {std::make_unique<Relu>(with_channels(input(), channels.size())), {}};
  }
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;
};

}  // namespace ddl::nn

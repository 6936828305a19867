// Layers that treat each value by itself.
#pragma once

#include "core/nn/layer.hpp"

namespace ddl::nn {

// Rectified linear unit, max(0, x) (Nair and Hinton, ICML 2010). Directly after a dense or convolutional layer, a model
// does not use this class: that layer applies ReLU while its result is in the cache.
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

// Hyperbolic tangent (LeCun et al., Efficient BackProp, 1998), with the same bits on every machine.
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

// Gaussian error linear unit x Phi(x) (Hendrycks and Gimpel, 2016), exact, with the same bits on every machine.
class Gelu final : public Layer {
 public:
  explicit Gelu(Shape shape) : Layer(shape, shape) {}
  const char* kind() const override { return "gelu"; }
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;
};

// A sample's values as one flat vector, in storage order; computes nothing.
class Flatten final : public Layer {
 public:
  explicit Flatten(Shape input) : Layer(input, {static_cast<int>(input.size()), 1, 1}) {}
  const char* kind() const override { return "flatten"; }
  bool passes_through(bool) const override { return true; }
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;
};

}  // namespace ddl::nn

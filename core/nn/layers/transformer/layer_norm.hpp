// Layer normalisation without a shift (Ba, Kiros and Hinton, 2016): y = w (x - mean) / sqrt(variance + 1e-5), mean and
// variance over the channels of each position.
#pragma once

#include "core/nn/layer.hpp"

namespace ddl::nn {

class LayerNorm final : public Layer {
 public:
  explicit LayerNorm(Shape shape) : Layer(shape, shape) {}
  const char* kind() const override { return "layer_norm"; }
  std::vector<LayerTensor> tensors() const override { return {{"scale", channels(), channels()}}; }
  std::vector<TorchTensor> torch_tensors(Shape input) const override;
  void initialize(std::span<float> parameters, Stream& random) const override;
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  std::size_t channels() const { return unsigned_of(input().channels); }
  std::size_t rows(int batch) const { return unsigned_of(batch) * input().size() / channels(); }
};

}  // namespace ddl::nn

// A dense or convolutional layer with only some of its weights.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/nn/layer.hpp"

namespace ddl::nn {

// Its parameters are the weights that exist, in the order of the whole tensor, then the bias, if any. The others have
// no place in the model's vector: they are not learned, not sent, and belong to no partition. Products are computed
// with the whole tensor, with zeros in between.
class Masked final : public Layer {
 public:
  // `whole` has one tensor of weights, and a bias after it or none; `positions` are those of the weights that exist,
  // ascending.
  Masked(std::unique_ptr<Layer> whole, std::vector<std::uint32_t> positions);

  const char* kind() const override { return whole_->kind(); }
  std::vector<LayerTensor> tensors() const override;
  std::vector<TorchTensor> torch_tensors(Shape input) const override;
  double multiply_adds() const override;
  std::size_t whole_parameter_count() const override { return whole_->parameter_count(); }
  LayerShare share(std::span<const std::uint32_t> channels) const override;
  void initialize(std::span<float> parameters, Stream& random) const override;
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  std::unique_ptr<Layer> whole_;
  std::vector<std::uint32_t> positions_;
  std::size_t weights_, others_;  // in the whole layer: all weights; biases
};

}  // namespace ddl::nn

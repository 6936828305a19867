// A dense or convolutional layer of which only some weights exist.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/nn/layer.hpp"

namespace ddl::nn {

// Its parameters are the weights that are there, in the order of the whole tensor, then the bias, if any. What is not
// there has no place in the model's vector: it cannot be learned, is not sent and belongs to no partition. The products
// are those of the whole tensor with zeros in between.
class Masked final : public Layer {
 public:
  // `whole` has one tensor of weights, and a bias after it or none; `positions` are those of the weights that are
  // there, ascending.
  Masked(std::unique_ptr<Layer> whole, std::vector<std::uint32_t> positions);

  const char* kind() const override { return whole_->kind(); }
  std::vector<LayerTensor> tensors() const override;
  double multiply_adds() const override;
  std::size_t whole_parameter_count() const override { return whole_->parameter_count(); }
  LayerShare share(std::span<const std::uint32_t> channels) const override;
  void initialize(std::span<float> parameters, Stream& random) const override;
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  std::unique_ptr<Layer> whole_;
  std::vector<std::uint32_t> positions_;
  std::size_t weights_, others_;  // of the whole layer: weights, there or not; biases
};

}  // namespace ddl::nn

// Layers one after the other, as one layer.
#pragma once

#include <memory>
#include <vector>

#include "core/nn/layer.hpp"

namespace ddl::nn {

class Chain final : public Layer {
 public:
  // At least one; each layer's input is the output of the one before.
  explicit Chain(std::vector<std::unique_ptr<Layer>> layers, const char* kind = "chain");

  const std::vector<std::unique_ptr<Layer>>& layers() const { return layers_; }
  const char* kind() const override { return kind_; }
  std::vector<LayerTensor> tensors() const override { return named_tensors(layers_); }
  std::vector<TorchTensor> torch_tensors(Shape input) const override { return nn::torch_tensors(layers_, input); }
  double multiply_adds() const override;
  std::size_t whole_parameter_count() const override;
  std::vector<LayerPart> parts() const override { return named_layers(layers_); }
  std::size_t tied_values() const override;
  bool needs_estimates() const override;
  void initialize(std::span<float> parameters, Stream& random) const override;
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  // Parts of the kept memory: per layer l its output (except the last's) and its kept values; then two gradients, used
  // alternately.
  Buffer& output_of(std::size_t l, Buffer& kept) const { return kept.part(2 * l); }
  Buffer& kept_of(std::size_t l, Buffer& kept) const { return kept.part(2 * l + 1); }
  Buffer& gradient(std::size_t turn, Buffer& kept) const { return kept.part(2 * layers_.size() + turn % 2); }

  std::vector<std::unique_ptr<Layer>> layers_;
  const char* kind_;
  std::vector<std::size_t> offsets_;  // where each layer's parameters begin
};

}  // namespace ddl::nn

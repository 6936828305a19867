// Grouped convolution: each of G layers reads its share of the channels and computes its share of the filters
// (Krizhevsky et al., NIPS 2012). In IDDL, the vertical partitions of a network.
#pragma once

#include <memory>
#include <vector>

#include "core/nn/layer.hpp"

namespace ddl::nn {

class Grouped final : public Layer {
 public:
  // Layers of one input and one output shape; `input` and `output` have as many times their channels as there are
  // layers.
  explicit Grouped(std::vector<std::unique_ptr<Layer>> groups);

  const char* kind() const override { return groups_.front()->kind(); }
  std::vector<LayerTensor> tensors() const override;
  std::vector<TorchTensor> torch_tensors(Shape input) const override;
  double multiply_adds() const override;
  std::size_t whole_parameter_count() const override;
  int groups() const override { return static_cast<int>(groups_.size()); }
  LayerShare share(std::span<const std::uint32_t> channels) const override;
  void initialize(std::span<float> parameters, Stream& random) const override;
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  std::vector<std::unique_ptr<Layer>> groups_;
  std::vector<std::size_t> offsets_;  // where each group's parameters begin
};

}  // namespace ddl::nn

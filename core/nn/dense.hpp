// Fully connected layer: y = x W + b, with an optional ReLU on its result. (Rumelhart, Hinton and Williams, 1986)
#pragma once

#include "core/nn/layer.hpp"
#include "core/nn/model_spec.hpp"

namespace ddl {

// Reads a sample of any shape as a flat vector. W is inputs x units.
class Dense final : public Layer {
 public:
  Dense(Shape input, const DenseSpec& spec, bool relu);

  const char* kind() const override { return "dense"; }
  std::vector<LayerTensor> tensors() const override;
  double multiply_adds() const override;
  void initialize(std::span<float> parameters, Stream& random) const override;
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  std::size_t inputs_, units_;
  Init init_;
  bool relu_;
};

}  // namespace ddl

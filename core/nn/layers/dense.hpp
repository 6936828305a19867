// Fully connected layer: y = x W + b, with an optional ReLU on its result. (Rumelhart, Hinton and Williams, 1986)
#pragma once

#include "core/nn/kernels/gemm.hpp"
#include "core/nn/layer.hpp"
#include "core/nn/math_mode.hpp"
#include "core/nn/model_spec.hpp"

namespace ddl::nn {

// Reads a sample of any shape as a flat vector, or each of its positions' channels. W is inputs x units.
class Dense final : public Layer {
 public:
  enum class Reads { sample, position };
  Dense(Shape input, const DenseSpec& spec, bool relu, MathMode mode = MathMode::portable, Reads reads = Reads::sample);

  const char* kind() const override { return "dense"; }
  std::vector<LayerTensor> tensors() const override;
  std::vector<TorchTensor> torch_tensors(Shape input) const override;
  double multiply_adds() const override;
  LayerShare share(std::span<const std::uint32_t> units) const override;
  void initialize(std::span<float> parameters, Stream& random) const override;
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  std::size_t positions_, inputs_, units_;
  bool bias_;
  Init init_;
  double deviation_;
  bool relu_;
  MathMode mode_;
};

}  // namespace ddl::nn

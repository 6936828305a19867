// Batch normalisation: Ioffe and Szegedy, ICML 2015.
#pragma once

#include "core/nn/layer.hpp"

namespace ddl::nn {

// y = scale (x - mean) / sqrt(variance + 1e-5) + shift for each channel. In training mean and variance are those of the
// batch, in an evaluation their means over the batches of earlier forward calls with `estimate`: functions of the
// parameters and some training samples, so that a replica's only state is its parameters.
class BatchNorm final : public Layer {
 public:
  explicit BatchNorm(Shape shape) : Layer(shape, shape) {}

  const char* kind() const override { return "batch_norm"; }
  std::vector<LayerTensor> tensors() const override;
  std::vector<TorchTensor> torch_tensors(Shape input) const override;
  // Two per value, as usual when operations are counted.
  double multiply_adds() const override { return 2 * static_cast<double>(output().size()); }
  bool needs_estimates() const override { return true; }
  int groups() const override { return input().channels; }
  LayerShare share(std::span<const std::uint32_t> chosen) const override;
  void initialize(std::span<float> parameters, Stream& random) const override;
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  // For each channel; stored in the kept memory.
  struct Statistics {
    float *mean, *inverse;  // the batch's mean; 1 / deviation
    float *estimated_mean, *estimated_variance;
  };
  Statistics statistics(Buffer& kept) const;
  std::size_t channels() const { return static_cast<std::size_t>(input().channels); }
  std::size_t pixels(int batch) const { return static_cast<std::size_t>(batch) * input().size() / channels(); }
};

}  // namespace ddl::nn

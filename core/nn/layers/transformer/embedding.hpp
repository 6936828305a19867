// The two ends of a language model: vectors of symbols, and symbols of vectors.
#pragma once

#include "core/nn/layer.hpp"
#include "core/nn/math_mode.hpp"

namespace ddl::nn {

// The vector of each position's symbol plus that of the position. Reads symbols as whole numbers in floats, below
// `symbols`.
class Embedding final : public Layer {
 public:
  Embedding(int context, int symbols, int channels);
  const char* kind() const override { return "embedding"; }
  std::vector<LayerTensor> tensors() const override;
  std::vector<TorchTensor> torch_tensors(Shape input) const override;
  void initialize(std::span<float> parameters, Stream& random) const override;
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;  // to the parameters alone: symbols have no gradient

 private:
  std::size_t symbols_, channels_;
};

// A score for each symbol at each position: the product with the symbol's vector in the model's first layer, an
// Embedding (weight tying: Press and Wolf, 2017).
class TiedDense final : public Layer {
 public:
  TiedDense(Shape input, int symbols, MathMode mode) : Layer(input, {symbols, input.height, 1}), mode_(mode) {}
  const char* kind() const override { return "tied_dense"; }
  std::size_t tied_values() const override { return unsigned_of(input().channels) * unsigned_of(output().channels); }
  double multiply_adds() const override { return static_cast<double>(tied_values()) * input().height; }
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  MathMode mode_;
};

}  // namespace ddl::nn

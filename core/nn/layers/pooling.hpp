// Pooling layers.
#pragma once

#include "core/nn/layer.hpp"
#include "core/nn/model_spec.hpp"

namespace ddl::nn {

// Maximum over square windows that do not overlap (Jarrett et al., ICCV 2009).
// Rows and columns that fill no whole window are ignored. The gradient goes to the first of equal largest values.
class MaxPool final : public Layer {
 public:
  // Precondition: one window fits.
  MaxPool(Shape input, const MaxPoolSpec& spec);

  const char* kind() const override { return "max_pool"; }
  int groups() const override { return input().channels; }
  LayerShare share(std::span<const std::uint32_t> channels) const override {
    const MaxPoolSpec spec{.size = static_cast<int>(size_)};
    return {std::make_unique<MaxPool>(with_channels(input(), channels.size()), spec), {}};
  }
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  std::size_t size_;
};

// The mean of each channel over the whole image: Lin, Chen and Yan, ICLR 2014.
class GlobalAveragePool final : public Layer {
 public:
  explicit GlobalAveragePool(Shape input) : Layer(input, {input.channels, 1, 1}) {}
  const char* kind() const override { return "global_average_pool"; }
  int groups() const override { return input().channels; }
  LayerShare share(std::span<const std::uint32_t> channels) const override {
    return {std::make_unique<GlobalAveragePool>(with_channels(input(), channels.size())), {}};
  }
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  std::size_t channels() const { return output().size(); }
  std::size_t pixels() const { return input().size() / channels(); }
};

}  // namespace ddl::nn

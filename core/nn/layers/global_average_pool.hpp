// The mean of each channel over the whole image: Lin, Chen and Yan, ICLR 2014.
#pragma once

#include "core/nn/layer.hpp"

namespace ddl::nn {

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

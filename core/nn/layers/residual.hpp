// y = max(0, body(x) + shortcut(x)): residual networks, He et al., CVPR 2016; or without max, as in transformers.
#pragma once

#include <memory>

#include "core/nn/layer.hpp"

namespace ddl::nn {

class Residual final : public Layer {
 public:
  enum class Ends { with_relu, with_sum };
  // Both have the same output shape. A null shortcut passes its input on.
  Residual(std::unique_ptr<Layer> body, std::unique_ptr<Layer> shortcut, Ends ends = Ends::with_relu);

  const Layer& body() const { return *body_; }
  const Layer* shortcut() const { return shortcut_.get(); }
  const char* kind() const override { return "residual"; }
  std::vector<LayerTensor> tensors() const override;
  std::vector<TorchTensor> torch_tensors(Shape input) const override;
  double multiply_adds() const override;
  std::size_t whole_parameter_count() const override;
  std::vector<LayerPart> parts() const override;
  bool needs_estimates() const override;
  void initialize(std::span<float> parameters, Stream& random) const override;
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  std::unique_ptr<Layer> body_, shortcut_;  // in the order of the parameters
  std::size_t body_parameters_;
  bool relu_;
};

// The shortcut without parameters: every `stride`-th pixel, and zeros in the channels that the input does not have.
class PickChannels final : public Layer {
 public:
  static constexpr std::uint32_t nothing = 0xffffffff;

  // The input's channels, then zeros up to `channels`.
  PickChannels(Shape input, int channels, int stride);
  // Picks these channels of the input; zeros for `nothing`.
  PickChannels(Shape input, std::vector<std::uint32_t> sources, int stride);

  const char* kind() const override { return "pick_channels"; }
  LayerShare share(std::span<const std::uint32_t> channels) const override;
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  // Calls visit(offset of a pixel of the input, of the output) for a whole batch.
  template <class Visit>
  void each_pixel(int batch, Visit visit) const;

  std::vector<std::uint32_t> sources_;  // by output channel
  std::size_t stride_;
};

}  // namespace ddl::nn

// y = max(0, body(x) + shortcut(x)): residual networks, He et al., CVPR 2016.
#pragma once

#include <memory>

#include "core/nn/layer.hpp"

namespace ddl {

class Residual final : public Layer {
 public:
  // Of one shape. A null shortcut hands its input on.
  Residual(std::unique_ptr<Layer> body, std::unique_ptr<Layer> shortcut);

  const char* kind() const override { return "residual"; }
  std::vector<LayerTensor> tensors() const override;
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
};

// The shortcut without parameters: every `stride`-th pixel, and zeros in the channels that the input has not.
class PadChannels final : public Layer {
 public:
  // At least as many channels as the input's.
  PadChannels(Shape input, int channels, int stride);

  const char* kind() const override { return "pad_channels"; }
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  // Calls visit(offset of a pixel of the input, of the output) for a whole batch.
  template <class Visit>
  void each_pixel(int batch, Visit visit) const;

  std::size_t stride_;
};

}  // namespace ddl

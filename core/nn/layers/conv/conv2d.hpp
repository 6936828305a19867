// Two-dimensional convolution with an optional ReLU on its result: LeCun et al., Proc. IEEE 1998. Computed in place on
// the padded image, a row of pixels at a time, unless there is a better method.
#pragma once

#include <memory>

#include "core/nn/layer.hpp"
#include "core/nn/layers/conv/method.hpp"
#include "core/nn/math_mode.hpp"
#include "core/nn/model_spec.hpp"

namespace ddl::nn {

// Weights are kernel x kernel x channels x filters. `same` pads with (kernel - 1) / 2 zeros above and left and the rest
// below and right, as TensorFlow does for stride 1. With stride s, every s-th window is used, beginning with the first.
class Conv2d final : public Layer {
 public:
  // Precondition of a valid convolution: the kernel fits into the image.
  Conv2d(Shape input, const ConvSpec& spec, bool relu, MathMode mode = MathMode::portable);

  const char* kind() const override { return "conv"; }
  std::vector<LayerTensor> tensors() const override;
  std::vector<TorchTensor> torch_tensors(Shape input) const override;
  double multiply_adds() const override;
  LayerShare share(std::span<const std::uint32_t> filters) const override;
  void initialize(std::span<float> parameters, Stream& random) const override;
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  // One image's values with a border of zeros.
  struct Frame {
    std::size_t height, width, values;  // pixels; values per pixel
    std::size_t top, bottom;            // border, the same left and right
    std::size_t row() const { return (width + top + bottom) * values; }
    std::size_t size() const { return (height + top + bottom) * row(); }
    std::size_t first() const { return top * (row() + values); }  // the first pixel inside
  };
  // Slides a kernel over a frame: the products of its windows with `panels` (see pack) into rows of `columns` values.
  struct Slide {
    const float* framed;
    std::size_t frame_row, values;  // the frame's
    std::size_t step;               // pixels from window to window
    const float* panels;
    std::size_t height, width, columns;  // the result's
    const float* bias;
    bool relu;
    float* result;
  };
  void slide(const Slide& job) const;
  // Weights as panels of neighbouring columns; for the gradient with respect to the inputs they are rotated by half a
  // turn and transposed.
  void pack(const float* weights, float* panels) const;
  void pack_turned(const float* weights, float* panels) const;
  void place_row(const float* from, float* to) const;
  void add_weight_gradient(const float* image, const float* gradient, bool first, float* result) const;

  std::size_t weight_count() const { return kernel_ * kernel_ * channels_ * filters_; }
  const float* bias_of(const float* parameters) const { return bias_ ? parameters + weight_count() : nullptr; }

  ConvSpec spec_;
  std::size_t channels_, kernel_, filters_, stride_;
  bool bias_;
  Frame image_, gradient_;  // for the input; for the output's gradient, with zeros between the windows of a stride
  Init init_;
  bool relu_;
  MathMode mode_;
  std::unique_ptr<const ConvMethod> method_;  // none: in place
};

}  // namespace ddl::nn

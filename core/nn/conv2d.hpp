// Two-dimensional convolution, stride 1, with an optional ReLU on its result: LeCun et al., Proc. IEEE 1998; as matrix
// products over unrolled windows: Chellapilla, Puri and Simard, IWFHR 2006.
#pragma once

#include "core/nn/layer.hpp"
#include "core/nn/model_spec.hpp"

namespace ddl {

// Weights are kernel x kernel x channels x filters. `same` pads with (kernel - 1) / 2 zeros above and left and the rest
// below and right, as TensorFlow does.
class Conv2d final : public Layer {
 public:
  // Precondition of a valid convolution: the kernel fits into the image.
  Conv2d(Shape input, const ConvSpec& spec, bool relu);

  const char* kind() const override { return "conv"; }
  std::vector<LayerTensor> tensors() const override;
  double multiply_adds() const override;
  void initialize(std::span<float> parameters, Stream& random) const override;
  void forward(const ForwardCall& call) const override;
  void backward(const BackwardCall& call) const override;

 private:
  // Where in scratch memory the pieces of a call lie.
  struct Scratch {
    float* padded;   // one image with its border
    float* windows;  // piece x pixels x window: one row per output value's window
    float* sums;     // filters
  };
  Scratch divide(Buffer& scratch, int batch) const;
  void unroll(const float* image, float* padded, float* windows) const;
  void add_back(const float* windows, float* padded, float* image) const;

  std::size_t channels_, kernel_, filters_, pad_;
  std::size_t padded_width_, padded_size_;  // values in a row of a padded image; values in all of it
  std::size_t pixels_, window_;             // outputs per filter; values under one window
  int piece_;                               // images unrolled at a time: their windows stay in the cache
  Init init_;
  bool relu_;
};

}  // namespace ddl

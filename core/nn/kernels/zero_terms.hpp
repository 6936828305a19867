// Sums of a 3x3 convolution whose terms are all zero. The transforms leave rounding errors in them, which an optimizer
// that divides by a gradient's own size (Adam) would scale up to full steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/nn/kernels/winograd.hpp"

namespace ddl::nn {

// A 3x3 window slid over images of `input`, one output per position; `above` rows and columns of zeros come first.
struct Sliding {
  static constexpr std::size_t kernel = 3;
  Plane input, output;
  std::size_t above = 0;
};

// Outputs of all-zero windows become the bias (null: zero), cut at zero if `relu`.
void set_empty_windows(const Sliding& sliding, const float* images, std::size_t count, const float* bias, bool relu,
                       float* outputs);

// Finds the weights whose gradient has only zero terms: wherever the input's value is not zero, the output's gradient
// is.
class UnmetWeights {
 public:
  explicit UnmetWeights(const Sliding& sliding);

  // Looks at further images. Usually finishes after a few.
  void look(const float* inputs, const float* gradients, std::size_t count);
  // Sets the gradients of the remaining weights, of 3 x 3 x inputs x outputs, to zero.
  void clear(float* weight_gradient) const;

 private:
  using Words = std::vector<std::uint64_t>;  // a bit per channel

  void look_at_image(const float* input, const float* gradient);
  void meet(std::size_t output, std::size_t pixel);
  void close();
  std::uint64_t* met(std::size_t output, std::size_t tap) { return met_.data() + (output * kTaps + tap) * in_words_; }

  static constexpr std::size_t kTaps = Sliding::kernel * Sliding::kernel;

  const Sliding sliding_;
  const std::size_t in_words_, out_words_;
  Words inputs_;    // an image's nonzero inputs, by pixel
  Words seen_;      // input channels that were not zero somewhere
  Words open_;      // output channels that have not met all of these at every tap
  Words met_;       // the inputs they have met, by output and tap
  Words gradient_;  // a pixel's nonzero gradients
  bool done_ = false;
};

}  // namespace ddl::nn

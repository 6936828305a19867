// Sums of a 3x3 convolution whose terms are all zero. Computed by transforms they would be what is left of rounding,
// and an optimizer that divides by a gradient's own size (Adam) would make whole steps of it.
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

// Outputs of windows in which all values are zero become the bias (null: zero), cut at zero if `relu`.
void set_empty_windows(const Sliding& sliding, const float* images, std::size_t count, const float* bias, bool relu,
                       float* outputs);

// Finds the weights whose gradient has no term but zeros: wherever one factor, a value of the input, is not zero, the
// other, the gradient of the output, is.
class UnmetWeights {
 public:
  explicit UnmetWeights(const Sliding& sliding);

  // Looks at further images. Of no account once each weight has a term that is not zero, mostly after a few images.
  void look(const float* inputs, const float* gradients, std::size_t count);
  // Sets the gradients of those that are left, of 3 x 3 x inputs x outputs, to zero.
  void clear(float* weight_gradient) const;

 private:
  struct Pair {
    std::uint32_t input, output;  // channels
    std::uint32_t met;            // a bit for each weight between them
  };
  void look_at_image(const float* input, const float* gradient);
  std::uint32_t met_by(const Pair& pair) const;

  const Sliding sliding_;
  const std::size_t chunks_;  // of a row of outputs, whose values fit one word
  std::vector<Pair> open_;
  // Which values are not zero, a bit each, by channel, row and chunk; bit b of a chunk of inputs is the input that the
  // kernel's first column meets with output b.
  std::vector<std::uint64_t> inputs_, gradients_;
  std::vector<std::uint64_t> row_;
};

}  // namespace ddl::nn

// Ways to compute a convolution other than in place on the padded image.
#pragma once

#include <cstddef>
#include <memory>

#include "core/nn/kernels/winograd.hpp"
#include "core/nn/layer.hpp"

namespace ddl::nn {

// Weights are kernel x kernel x from.values x to.values, followed by to.values biases if there are any.
struct ConvGeometry {
  Plane from, to;
  std::size_t kernel = 1, stride = 1;
  std::size_t above = 0;  // rows of zeros above the image, and columns left of it
  bool bias = true, relu = false;

  std::size_t window() const { return kernel * kernel * from.values; }
  std::size_t weights() const { return window() * to.values; }
  const float* bias_of(const float* parameters) const { return bias ? parameters + weights() : nullptr; }
};

class ConvMethod {
 public:
  virtual ~ConvMethod() = default;
  virtual void forward(const ForwardCall& call) const = 0;
  virtual void backward(const BackwardCall& call) const = 0;
};

// Winograd's transforms (winograd.hpp), which must suit the shapes; stride 1.
std::unique_ptr<const ConvMethod> transformed_convolution(const ConvGeometry& geometry);

// OpenBLAS: windows are unrolled into the rows of a matrix, and the convolution is a product with it (Chellapilla, Puri
// and Simard, 2006). Shares no code with our own kernels, and so is an oracle for them.
std::unique_ptr<const ConvMethod> unrolled_convolution(const ConvGeometry& geometry);

}  // namespace ddl::nn

#include <algorithm>
#include <cstring>

#include "core/nn/kernels/blas.hpp"
#include "core/nn/layers/affine.hpp"
#include "core/nn/layers/conv/method.hpp"

namespace ddl::nn {
namespace {

// Unrolled windows at a time, in floats: enough rows for fast products, few enough for the second-level cache.
constexpr std::size_t kPiece = 1 << 17;

class UnrolledConvolution final : public ConvMethod {
 public:
  explicit UnrolledConvolution(const ConvGeometry& geometry)
      : g_(geometry), row_(g_.to.width * g_.window()), piece_(std::max<std::size_t>(1, kPiece / row_)) {}

  void forward(const ForwardCall& call) const override {
    float* const windows = call.scratch.room(piece_ * row_);
    each_piece(call.batch, [&](std::size_t first, std::size_t rows) {
      unroll(call.input, first, rows, windows);
      blas_gemm(product(rows), windows, call.parameters, call.output + first * outputs(),
                {.bias = g_.bias_of(call.parameters), .relu = g_.relu});
    });
  }

  void backward(const BackwardCall& call) const override {
    const std::size_t filters = g_.to.values, batch = static_cast<std::size_t>(call.batch);
    float* const windows = call.scratch.room(piece_ * row_ + 2 * filters);
    float* const sums = windows + piece_ * row_;
    float* const bias_gradient = g_.bias ? call.parameter_gradient + g_.weights() : sums + filters;
    std::fill_n(bias_gradient, filters, 0.0f);
    bias_backward(call.output, batch * g_.to.height * g_.to.width, filters, g_.relu, call.output_gradient,
                  bias_gradient, sums);
    std::fill_n(call.parameter_gradient, g_.weights(), 0.0f);
    if (call.input_gradient != nullptr) std::fill_n(call.input_gradient, batch * g_.from.size(), 0.0f);
    each_piece(call.batch, [&](std::size_t first, std::size_t rows) {
      const float* const gradient = call.output_gradient + first * outputs();
      unroll(call.input, first, rows, windows);
      const Product p = product(rows);
      blas_add({.a = Op::transposed, .rows = p.inner, .columns = p.columns, .inner = p.rows}, windows, gradient,
               call.parameter_gradient);
      if (call.input_gradient == nullptr) return;
      blas_gemm({.b = Op::transposed, .rows = p.rows, .columns = p.inner, .inner = p.columns}, gradient,
                call.parameters, windows);
      add_rolled(windows, first, rows, call.input_gradient);
    });
  }

 private:
  std::size_t outputs() const { return g_.to.width * g_.to.values; }  // values of a row
  Product product(std::size_t rows) const {
    return {.rows = static_cast<int>(rows * g_.to.width),
            .columns = static_cast<int>(g_.to.values),
            .inner = static_cast<int>(g_.window())};
  }

  // Rows of outputs, of all images one after the other: visit(first, count).
  template <class Visit>
  void each_piece(int batch, Visit visit) const {
    const std::size_t all = static_cast<std::size_t>(batch) * g_.to.height;
    for (std::size_t first = 0; first < all; first += piece_) visit(first, std::min(piece_, all - first));
  }

  // The runs of pixels that the windows of rows [first, first + count) consist of: visit(pixel, pixels, offset), where
  // `offset` is that of the run's values among the windows' and `pixel` counts from the first image's first.
  // Zeros around the image are left out.
  template <class Visit>
  void each_run(std::size_t first, std::size_t count, Visit visit) const {
    for (std::size_t row = first; row < first + count; ++row) {
      const std::size_t image = row / g_.to.height, top = row % g_.to.height * g_.stride;
      for (std::size_t x = 0; x < g_.to.width; ++x) {
        const std::size_t window = ((row - first) * g_.to.width + x) * g_.window(), left = x * g_.stride;
        const std::size_t from = std::max(left, g_.above);
        const std::size_t to = std::min(left + g_.kernel, g_.from.width + g_.above);
        for (std::size_t ky = 0; ky < g_.kernel; ++ky) {
          if (top + ky < g_.above || top + ky >= g_.from.height + g_.above || from >= to) continue;
          const std::size_t pixel = (image * g_.from.height + top + ky - g_.above) * g_.from.width + from - g_.above;
          visit(pixel, to - from, window + (ky * g_.kernel + from - left) * g_.from.values);
        }
      }
    }
  }

  void unroll(const float* images, std::size_t first, std::size_t count, float* windows) const {
    const std::size_t values = g_.from.values;
    std::fill_n(windows, count * row_, 0.0f);  // around the image
    each_run(first, count, [&](std::size_t pixel, std::size_t pixels, std::size_t offset) {
      std::memcpy(windows + offset, images + pixel * values, pixels * values * sizeof(float));
    });
  }

  void add_rolled(const float* windows, std::size_t first, std::size_t count, float* images) const {
    const std::size_t values = g_.from.values;
    each_run(first, count, [&](std::size_t pixel, std::size_t pixels, std::size_t offset) {
      float* const to = images + pixel * values;
      for (std::size_t i = 0; i < pixels * values; ++i) to[i] += windows[offset + i];
    });
  }

  const ConvGeometry g_;
  const std::size_t row_, piece_;  // floats of a row's windows; rows at a time
};

}  // namespace

std::unique_ptr<const ConvMethod> unrolled_convolution(const ConvGeometry& geometry) {
  return std::make_unique<const UnrolledConvolution>(geometry);
}

}  // namespace ddl::nn

#include "core/nn/kernels/orthogonal.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/nn/kernels/gemm.hpp"

namespace ddl::nn {
namespace {

struct Polynomial {
  float a, b, c;
};
constexpr Polynomial kSteps[] = {{4.0848f, -6.8946f, 2.9270f},
                                 {3.9505f, -6.3029f, 2.6377f},
                                 {3.7418f, -5.5913f, 2.3037f},
                                 {2.8769f, -3.1427f, 1.2046f},
                                 {2.8366f, -3.0525f, 1.2012f}};

std::vector<float> transposed(std::span<const float> matrix, std::size_t rows, std::size_t columns) {
  std::vector<float> result(matrix.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) result[j * rows + i] = matrix[i * columns + j];
  }
  return result;
}

}  // namespace

// X := a X + (b S + c S S) X with S = X X', X having its short side first.
void orthogonalize(std::span<float> matrix, std::size_t rows, std::size_t columns) {
  double squares = 0;
  for (const float value : matrix) squares += static_cast<double>(value) * value;
  if (!(squares > 0)) return;
  const bool is_tall = rows > columns;
  const std::size_t small = is_tall ? columns : rows, large = is_tall ? rows : columns;
  std::vector<float> x = is_tall ? transposed(matrix, rows, columns) : std::vector<float>(matrix.begin(), matrix.end());
  const auto factor = static_cast<float>(1 / std::sqrt(squares));
  for (float& value : x) value *= factor;
  std::vector<float> square(small * small), fourth(small * small), change(x.size());
  const int s = static_cast<int>(small), l = static_cast<int>(large);
  Buffer scratch;
  for (const auto& [a, b, c] : kSteps) {
    gemm({.b = Op::transposed, .rows = s, .columns = s, .inner = l}, x.data(), x.data(), square.data(), scratch);
    gemm({.rows = s, .columns = s, .inner = s}, square.data(), square.data(), fourth.data(), scratch);
    for (std::size_t i = 0; i < square.size(); ++i) square[i] = b * square[i] + c * fourth[i];
    gemm({.rows = s, .columns = l, .inner = s}, square.data(), x.data(), change.data(), scratch);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = a * x[i] + change[i];
  }
  if (is_tall) x = transposed(x, columns, rows);
  std::copy(x.begin(), x.end(), matrix.begin());
}

}  // namespace ddl::nn

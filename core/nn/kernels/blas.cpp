#include "core/nn/kernels/blas.hpp"

#include <cblas.h>

#include <algorithm>
#include <sstream>

namespace ddl::nn {
namespace {

CBLAS_TRANSPOSE cblas_op(Op op) { return op == Op::plain ? CblasNoTrans : CblasTrans; }

// C = op(A) op(B) + share C
void multiply(const Product& p, const float* a, const float* b, float share, float* c) {
  cblas_sgemm(CblasRowMajor, cblas_op(p.a), cblas_op(p.b), p.rows, p.columns, p.inner, 1, a,
              p.a == Op::plain ? p.inner : p.rows, b, p.b == Op::plain ? p.columns : p.inner, share, c, p.columns);
}

}  // namespace

void blas_gemm(const Product& p, const float* a, const float* b, float* c, const Finish& finish) {
  const std::size_t rows = static_cast<std::size_t>(p.rows), columns = static_cast<std::size_t>(p.columns);
  if (finish.bias != nullptr) {
    for (std::size_t row = 0; row < rows; ++row) std::copy_n(finish.bias, columns, c + row * columns);
  }
  multiply(p, a, b, finish.bias == nullptr ? 0.0f : 1.0f, c);
  if (!finish.relu) return;
  for (std::size_t i = 0; i < rows * columns; ++i) c[i] = c[i] > 0 ? c[i] : 0;
}

void blas_add(const Product& p, const float* a, const float* b, float* c) { multiply(p, a, b, 1, c); }

void use_one_blas_thread() {
  if (openblas_get_num_threads() != 1) openblas_set_num_threads(1);
}

std::string blas_kernels() {
  // The configuration line begins with "OpenBLAS <version>".
  std::istringstream configuration(openblas_get_config());
  std::string library, version;
  configuration >> library >> version;
  return library + " " + version + " " + openblas_get_corename();
}

}  // namespace ddl::nn

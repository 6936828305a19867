#include "core/nn/gemm.hpp"

#include <cblas.h>

#include <Eigen/Core>
#include <sstream>

namespace ddl {
namespace {

// On AVX2 and AVX-512 cores Eigen wins below 16 x 16 x 16, OpenBLAS above.
constexpr double kLeastBlasWork = 4096;

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<const Matrix>;

CBLAS_TRANSPOSE cblas_op(Op op) { return op == Op::plain ? CblasNoTrans : CblasTrans; }

void openblas_gemm(const Product& p, float alpha, const float* a, const float* b, float beta, float* c) {
  cblas_sgemm(CblasRowMajor, cblas_op(p.a), cblas_op(p.b), p.rows, p.columns, p.inner, alpha, a,
              p.a == Op::plain ? p.inner : p.rows, b, p.b == Op::plain ? p.columns : p.inner, beta, c, p.columns);
}

template <class A, class B>
void eigen_product(const A& a, const B& b, float alpha, float beta, Eigen::Map<Matrix>& c) {
  if (beta == 0) {
    c.noalias() = alpha * a * b;
  } else {
    if (beta != 1) c *= beta;
    c.noalias() += alpha * a * b;
  }
}

void eigen_gemm(const Product& p, float alpha, const float* a, const float* b, float beta, float* c) {
  Eigen::Map<Matrix> result(c, p.rows, p.columns);
  const View plain_a(a, p.rows, p.inner), stored_a(a, p.inner, p.rows);
  const View plain_b(b, p.inner, p.columns), stored_b(b, p.columns, p.inner);
  if (p.a == Op::plain && p.b == Op::plain) {
    eigen_product(plain_a, plain_b, alpha, beta, result);
  } else if (p.a == Op::plain) {
    eigen_product(plain_a, stored_b.transpose(), alpha, beta, result);
  } else if (p.b == Op::plain) {
    eigen_product(stored_a.transpose(), plain_b, alpha, beta, result);
  } else {
    eigen_product(stored_a.transpose(), stored_b.transpose(), alpha, beta, result);
  }
}

}  // namespace

GemmBackend gemm_backend(const Product& p) {
  // Eigen turns products with a single row or column into other kernels, whose order of sums may follow alignment.
  const bool matrices = p.rows > 1 && p.columns > 1;
  const double work = static_cast<double>(p.rows) * p.columns * p.inner;
  return matrices && work <= kLeastBlasWork ? GemmBackend::eigen : GemmBackend::openblas;
}

void gemm_with(GemmBackend backend, const Product& product, float alpha, const float* a, const float* b, float beta,
               float* c) {
  if (backend == GemmBackend::eigen) {
    eigen_gemm(product, alpha, a, b, beta, c);
  } else {
    openblas_gemm(product, alpha, a, b, beta, c);
  }
}

void gemm(const Product& product, float alpha, const float* a, const float* b, float beta, float* c) {
  gemm_with(gemm_backend(product), product, alpha, a, b, beta, c);
}

void use_one_blas_thread() {
  if (openblas_get_num_threads() != 1) openblas_set_num_threads(1);
}

std::string gemm_kernels() {
  // The configuration line opens with "OpenBLAS <version>".
  std::istringstream configuration(openblas_get_config());
  std::string library, version;
  configuration >> library >> version;
  return library + " " + version + " " + openblas_get_corename() + ", Eigen " + std::to_string(EIGEN_WORLD_VERSION) +
         "." + std::to_string(EIGEN_MAJOR_VERSION) + "." + std::to_string(EIGEN_MINOR_VERSION);
}

}  // namespace ddl

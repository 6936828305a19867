// The one seam to matrix libraries: C = alpha op(A) op(B) + beta C on dense row-major floats.
#pragma once

#include <string>

namespace ddl {

enum class Op { plain, transposed };

// Sizes of a product: op(A) is rows x inner, op(B) is inner x columns, C is rows x columns, without gaps between rows.
// A is stored rows x inner (plain) or inner x rows (transposed), B likewise.
struct Product {
  Op a = Op::plain, b = Op::plain;
  int rows = 0, columns = 0, inner = 0;
};

// Always on the calling thread alone, and with the same bits for the same values whichever thread that is and wherever
// the matrices lie. C is not read when beta is 0. C must not overlap A or B.
void gemm(const Product& product, float alpha, const float* a, const float* b, float beta, float* c);

// The libraries behind it, of which gemm chooses by size alone: OpenBLAS, and Eigen where a call's fixed cost would
// exceed the work.
enum class GemmBackend { openblas, eigen };
GemmBackend gemm_backend(const Product& product);
void gemm_with(GemmBackend backend, const Product& product, float alpha, const float* a, const float* b, float beta,
               float* c);

// Parallelism is ours: keeps OpenBLAS from starting threads of its own. Every Model calls this before its first
// product.
void use_one_blas_thread();

// The libraries and the kernel set OpenBLAS chose for this CPU, for a result's provenance: results agree to the bit
// only between machines that name the same. "OpenBLAS 0.3.21 Haswell, Eigen 3.4.0"
std::string gemm_kernels();

}  // namespace ddl

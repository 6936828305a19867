// The seam to OpenBLAS, for `native` math and as the measure of our own kernels.
#pragma once

#include <string>

#include "core/nn/kernels/gemm.hpp"

namespace ddl::nn {

// The same product by OpenBLAS. Once use_one_blas_thread() was called: on the calling thread alone, and with the same
// bits on machines whose blas_kernels() are the same.
void blas_gemm(const Product& product, const float* a, const float* b, float* c, const Finish& finish = {});

// Parallelism is ours: keeps OpenBLAS from starting threads of its own.
void use_one_blas_thread();

// "OpenBLAS 0.3.21 Haswell"
std::string blas_kernels();

}  // namespace ddl::nn

// Calls of OpenBLAS, for `native` math and as a reference for our own kernels.
#pragma once

#include <string>

#include "core/nn/kernels/gemm.hpp"

namespace ddl::nn {

// The same product by OpenBLAS. After use_one_blas_thread() it runs on the calling thread only, and gives the same bits
// on machines whose blas_kernels() are the same.
void blas_gemm(const Product& product, const float* a, const float* b, float* c, const Finish& finish = {});

// C += op(A) op(B)
void blas_add(const Product& product, const float* a, const float* b, float* c);

// Keeps OpenBLAS from starting threads of its own; the thread pool is the only parallelism.
void use_one_blas_thread();

// "OpenBLAS 0.3.21 Haswell"
std::string blas_kernels();

}  // namespace ddl::nn

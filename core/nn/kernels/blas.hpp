// Calls of OpenBLAS, for `native` math and as a reference for our own kernels. The library is loaded at the first call,
// without threads of its own: the thread pool is the only parallelism. Throws InputError if it is not installed, and
// std::bad_alloc where it would wait for memory.
#pragma once

#include <string>

#include "core/nn/kernels/gemm.hpp"
#include "core/nn/math_mode.hpp"

namespace ddl::nn {

// The same product by OpenBLAS: the same bits on machines whose blas_kernels() are the same.
void blas_gemm(const Product& product, const float* a, const float* b, float* c, const Finish& finish = {});

// The product as the mode, native or portable, has it.
void multiply(MathMode mode, const Product& product, const float* a, const float* b, float* c, Buffer& scratch,
              const Finish& finish = {});

// C += op(A) op(B)
void blas_add(const Product& product, const float* a, const float* b, float* c);

// "OpenBLAS 0.3.21 Haswell"
std::string blas_kernels();

}  // namespace ddl::nn

// The nearest orthogonal matrix, nearly.
#pragma once

#include <cstddef>
#include <span>

namespace ddl::nn {

// Replaces a matrix, rows x columns, by one of the same singular vectors, whose singular values lie from 0.978 to 1.145
// where they were at least 0.0032 of its Frobenius norm: five steps of a Newton-Schulz iteration with a polynomial of
// their own each (Khaled et al., MuLoCo, arXiv 2505.23725). Smaller values grow less; a matrix of zeros stays.
void orthogonalize(std::span<float> matrix, std::size_t rows, std::size_t columns);

}  // namespace ddl::nn

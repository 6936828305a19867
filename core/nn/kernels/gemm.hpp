// Products of dense row-major matrices of floats.
#pragma once

#include "core/nn/kernels/buffer.hpp"
#include "core/nn/kernels/tile.hpp"

namespace ddl::nn {

enum class Op { plain, transposed };

// C = op(A) op(B); each row of C starts at `bias` (none: zero), and negative results are set to zero if
// `relu`. op(A) is rows x inner, op(B) is inner x columns, C is rows x columns, without gaps between rows. A is stored
// rows x inner (plain) or inner x rows (transposed), B likewise.
struct Product {
  Op a = Op::plain, b = Op::plain;
  int rows = 0, columns = 0, inner = 0;
};
struct Finish {
  const float* bias = nullptr;  // columns
  bool relu = false;
};

// Runs on the calling thread, and gives the same bits for the same values on every CPU, whatever the thread and the
// alignment of the matrices: a sum is formed from runs of 256 terms, each in order, added in order. C must not overlap
// A or B. `scratch` is for copies with a better memory layout.
void gemm(const Product& product, const float* a, const float* b, float* c, Buffer& scratch, const Finish& finish = {});

// The same with one of tile_sets().
void gemm_with(const TileSet& set, const Product& product, const float* a, const float* b, float* c, Buffer& scratch,
               const Finish& finish = {});

// Copies `columns` columns of each of `count` rows of `from` into rows of `width` values, filled up with zeros.
void copy_columns(const float* from, std::size_t row, std::size_t count, std::size_t columns, std::size_t width,
                  float* to);
// The same for the transposed: `from` holds `columns` rows of `count` values.
void transpose_columns(const float* from, std::size_t row, std::size_t count, std::size_t columns, std::size_t width,
                       float* to);

}  // namespace ddl::nn

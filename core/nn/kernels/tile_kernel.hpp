// The body of a TileSet's panel, for the vector type `V` of the file that includes this. Included by files compiled for
// different CPUs, hence everything in an unnamed namespace and no other header.
#pragma once

#include "core/nn/kernels/tile.hpp"

namespace ddl::nn {
namespace {

// `kRows` rows of `kVectors` vectors. kTogether: the rows of a term lie side by side in A; otherwise the terms of a
// row's run do.
template <class V, int kRows, int kVectors, bool kTogether>
[[gnu::noinline]] void tile(const PanelCall& p, const float* a, float* c) {
  constexpr std::size_t lanes = V::lanes;
  typename V::Values sum[kRows][kVectors];
  // All loops over the tile are unrolled, because its sums would otherwise be kept in memory.
#pragma GCC unroll 2
  for (int v = 0; v < kVectors; ++v) {
    const std::size_t column = static_cast<std::size_t>(v) * lanes;
    const auto start = p.bias == nullptr ? V::zero() : V::load_first(p.bias + column, p.columns - column);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) sum[i][v] = start;
  }
  const std::size_t inner = p.terms.inner, b_inner = p.terms.b_inner;
  const float* b_run = p.b;
  for (std::size_t outer = 0; outer < p.terms.outer; ++outer, a += p.terms.a_outer, b_run += p.terms.b_outer) {
    const float* b = b_run;
    const float* term = a;
    const float* rows[kRows];
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) rows[i] = a + static_cast<std::size_t>(i) * p.a_row;
    for (std::size_t k = 0; k < inner; ++k, b += b_inner) {
      typename V::Values right[kVectors];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) right[v] = V::load(b + static_cast<std::size_t>(v) * lanes);
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) {
        const auto left = V::broadcast(kTogether ? term + i : rows[i] + k);
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) sum[i][v] = V::multiply_add(left, right[v], sum[i][v]);
      }
      term += p.terms.a_inner;
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i, c += p.c_row) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      const std::size_t column = static_cast<std::size_t>(v) * lanes, left = p.columns - column;
      auto result = sum[i][v];
      if (p.add) result = V::add(V::load_first(c + column, left), result);
      if (p.relu) result = V::positive(result);
      V::store_first(result, c + column, left);
    }
  }
}

template <class V, int kVectors, bool kTogether>
void tile_of(std::size_t rows, const PanelCall& p, const float* a, float* c) {
  switch (rows) {
    case 1:
      return tile<V, 1, kVectors, kTogether>(p, a, c);
    case 2:
      return tile<V, 2, kVectors, kTogether>(p, a, c);
    case 3:
      return tile<V, 3, kVectors, kTogether>(p, a, c);
    case 4:
      return tile<V, 4, kVectors, kTogether>(p, a, c);
    case 5:
      return tile<V, 5, kVectors, kTogether>(p, a, c);
    case 6:
      return tile<V, 6, kVectors, kTogether>(p, a, c);
  }
  if constexpr (V::rows > 6) {
    if (rows == 7) return tile<V, 7, kVectors, kTogether>(p, a, c);
    return tile<V, 8, kVectors, kTogether>(p, a, c);
  }
}

// Cuts the rows into tiles of about the same height, because low tiles do not keep the multipliers busy.
template <class V, int kVectors, bool kTogether>
void tiles(const PanelCall& p) {
  const std::size_t count = (p.rows + V::rows - 1) / V::rows;
  const float* a = p.a;
  float* c = p.c;
  for (std::size_t left = count, rows = p.rows; left > 0; --left) {
    const std::size_t height = (rows + left - 1) / left;
    tile_of<V, kVectors, kTogether>(height, p, a, c);
    rows -= height;
    a += height * p.a_row;
    c += height * p.c_row;
  }
}

template <class V>
void panel(const PanelCall& p) {
  const bool together = p.a_row == 1 || p.terms.a_inner != 1;
  if (p.columns <= V::lanes) {
    together ? tiles<V, 1, true>(p) : tiles<V, 1, false>(p);
  } else {
    together ? tiles<V, 2, true>(p) : tiles<V, 2, false>(p);
  }
}

}  // namespace
}  // namespace ddl::nn

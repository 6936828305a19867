#include "core/nn/kernels/gemm.hpp"

#include <algorithm>
#include <cstring>

namespace ddl::nn {
namespace {

// Number of terms that are summed at a time: a panel of B with as many rows stays in the first-level cache. It fixes
// the order of sums, so every result depends on it.
constexpr std::size_t kRun = 256;
// Number of rows of A that use such a panel before the next one is loaded; their copy stays in the second-level cache.
constexpr std::size_t kBlock = 128;
// Copying A pays off when at least this many columns use it, or when its rows would map to the same cache sets.
constexpr std::size_t kColumnsWorthCopy = 96;
constexpr std::size_t kPage = 4096 / sizeof(float);
// Distance between rows of a copied block of A: a little more than needed, so that they do not map to the same cache
// sets.
constexpr std::size_t kRowGap = kRun + 16, kTermGap = kBlock + 16;
constexpr std::size_t kCopiedA = std::max(kBlock * kRowGap, kRun* kTermGap);

// One product, cut into panels.
struct Cut {
  const TileSet& set;
  const Product& p;
  const float *a, *b;
  float* c;
  const Finish& finish;
  float *copied_a, *copied_b;

  std::size_t rows() const { return static_cast<std::size_t>(p.rows); }
  std::size_t columns() const { return static_cast<std::size_t>(p.columns); }
  std::size_t inner() const { return static_cast<std::size_t>(p.inner); }

  // A's rows [row, row + count) of terms [k, k + terms).
  void place_a(std::size_t row, std::size_t count, std::size_t k, std::size_t terms, PanelCall& call) const {
    const bool plain = p.a == Op::plain;
    const std::size_t stride = plain ? inner() : rows();
    const float* const from = plain ? a + row * stride + k : a + k * stride + row;
    const bool copy = columns() >= kColumnsWorthCopy || stride % kPage == 0;
    std::size_t gap = stride;
    call.a = from;
    if (copy) {
      gap = plain ? kRowGap : kTermGap;
      const std::size_t width = plain ? terms : count;
      for (std::size_t i = 0; i < (plain ? count : terms); ++i) {
        std::memcpy(copied_a + i * gap, from + i * stride, width * sizeof(float));
      }
      call.a = copied_a;
    }
    call.a_row = plain ? gap : 1;
    call.terms.a_inner = plain ? 1 : gap;
  }

  // B's columns [column, column + call.columns) of terms [k, k + terms).
  void place_b(std::size_t column, std::size_t k, std::size_t terms, PanelCall& call) const {
    const std::size_t width = set.padded_columns(call.columns);
    call.terms.b_inner = width;
    call.b = copied_b;
    if (p.b == Op::transposed) {
      transpose_columns(b + column * inner() + k, inner(), terms, call.columns, width, copied_b);
    } else if (columns() == width) {
      call.b = b + k * width;
    } else {
      copy_columns(b + k * columns() + column, columns(), terms, call.columns, width, copied_b);
    }
  }

  void run() const {
    for (std::size_t k = 0; k < inner(); k += kRun) {
      const std::size_t terms = std::min(kRun, inner() - k);
      for (std::size_t row = 0; row < rows(); row += kBlock) {
        PanelCall call;
        call.rows = std::min(kBlock, rows() - row);
        call.terms.inner = terms;
        call.c_row = columns();
        call.add = k > 0;
        call.relu = finish.relu && k + terms == inner();
        place_a(row, call.rows, k, terms, call);
        for (std::size_t column = 0; column < columns(); column += set.columns) {
          call.columns = std::min(set.columns, columns() - column);
          call.bias = finish.bias == nullptr || k > 0 ? nullptr : finish.bias + column;
          call.c = c + row * columns() + column;
          place_b(column, k, terms, call);
          set.panel(call);
        }
      }
    }
  }
};

}  // namespace

void gemm_with(const TileSet& set, const Product& product, const float* a, const float* b, float* c, Buffer& scratch,
               const Finish& finish) {
  float* const copies = scratch.room(kCopiedA + kRun * set.columns);
  Cut{set, product, a, b, c, finish, copies, copies + kCopiedA}.run();
}

void gemm(const Product& product, const float* a, const float* b, float* c, Buffer& scratch, const Finish& finish) {
  gemm_with(tile_set_for(static_cast<std::size_t>(product.columns)), product, a, b, c, scratch, finish);
}

void copy_columns(const float* from, std::size_t row, std::size_t count, std::size_t columns, std::size_t width,
                  float* to) {
  for (std::size_t i = 0; i < count; ++i, from += row, to += width) {
    std::memcpy(to, from, columns * sizeof(float));
    if (width > columns) std::memset(to + columns, 0, (width - columns) * sizeof(float));
  }
}

void transpose_columns(const float* from, std::size_t row, std::size_t count, std::size_t columns, std::size_t width,
                       float* to) {
  constexpr std::size_t kSquare = 8;
  std::size_t column = 0;
  for (; column + kSquare <= columns; column += kSquare) {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < kSquare; ++j) to[i * width + column + j] = from[(column + j) * row + i];
    }
  }
  for (; column < width; ++column) {
    for (std::size_t i = 0; i < count; ++i) to[i * width + column] = column < columns ? from[column * row + i] : 0;
  }
}

}  // namespace ddl::nn

#include "core/nn/kernels/gemm.hpp"

#include <algorithm>
#include <cstring>

#include "core/nn/kernels/lanes.hpp"

namespace ddl::nn {
namespace {

// Number of terms that are summed at a time: a panel of B with as many rows stays in the first-level cache. It fixes
// the order of sums, so every result depends on it.
constexpr std::size_t kRun = 256;
// Number of rows of A that use such a panel before the next one is loaded; their copy stays in the second-level cache.
constexpr std::size_t kBlock = 128;
// With at most so many columns, the panels of a run stay in the second-level cache for all blocks of rows.
constexpr std::size_t kColumnsPlacedOnce = 512;
// Copying A pays off when at least this many columns use it, or when its rows would map to the same cache sets.
constexpr std::size_t kColumnsWorthCopy = 96;
constexpr std::size_t kPage = 4096 / sizeof(float);
// Distance between rows of a copied block of A: a little more than needed, so that they do not map to the same cache
// sets.
constexpr std::size_t kRowGap = kRun + 16, kTermGap = kBlock + 16;
constexpr std::size_t kCopiedA = std::max(kBlock * kRowGap, kRun* kTermGap);

// In pieces of a fixed size, because compilers copy others with an instruction that is slow to start.
void copy_values(const float* from, std::size_t count, float* to) {
  constexpr std::size_t kPiece = 16;
  std::size_t done = 0;
  for (; done + kPiece <= count; done += kPiece) std::memcpy(to + done, from + done, kPiece * sizeof(float));
  for (; done < count; ++done) to[done] = from[done];
}

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
        copy_values(from + i * stride, width, copied_a + i * gap);
      }
      call.a = copied_a;
    }
    call.a_row = plain ? gap : 1;
    call.terms.a_inner = plain ? 1 : gap;
  }

  bool places_once() const { return rows() > kBlock && columns() <= kColumnsPlacedOnce; }
  std::size_t copied_b_columns() const { return places_once() ? columns() + set.columns : set.columns; }

  // B's columns [column, column + call.columns) of terms [k, k + terms), which an earlier block of rows may have
  // placed.
  void place_b(std::size_t column, std::size_t k, std::size_t terms, bool placed, PanelCall& call) const {
    const std::size_t width = set.padded_columns(call.columns);
    float* const copy = copied_b + (places_once() ? column * kRun : 0);
    call.terms.b_inner = width;
    call.b = copy;
    if (p.b == Op::transposed) {
      if (!placed) transpose_columns(b + column * inner() + k, inner(), terms, call.columns, width, copy);
    } else if (columns() == width) {
      call.b = b + k * width;
    } else if (!placed) {
      copy_columns(b + k * columns() + column, columns(), terms, call.columns, width, copy);
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
          place_b(column, k, terms, places_once() && row > 0, call);
          set.panel(call);
        }
      }
    }
  }
};

// Eight rows of eight values, `row` apart, become columns of rows that are `width` apart.
void transpose_square(const float* from, std::size_t row, std::size_t width, float* to) {
  Eight::Values in[kLanes], pairs[kLanes], fours[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) Eight::load(from + i * row, in[i]);
  for (std::size_t i = 0; i < kLanes; i += 2) {
    pairs[i] = __builtin_shufflevector(in[i], in[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[i + 1] = __builtin_shufflevector(in[i], in[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (std::size_t half = 0; half < kLanes; half += 4) {
    for (std::size_t i = half; i < half + 2; ++i) {
      fours[half + 2 * (i - half)] = __builtin_shufflevector(pairs[i], pairs[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      fours[half + 2 * (i - half) + 1] = __builtin_shufflevector(pairs[i], pairs[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    Eight::store(__builtin_shufflevector(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11), to + i * width);
    Eight::store(__builtin_shufflevector(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15), to + (i + 4) * width);
  }
}

}  // namespace

void gemm_with(const TileSet& set, const Product& product, const float* a, const float* b, float* c, Buffer& scratch,
               const Finish& finish) {
  Cut cut{set, product, a, b, c, finish, nullptr, nullptr};
  cut.copied_a = scratch.room(kCopiedA + kRun * cut.copied_b_columns());
  cut.copied_b = cut.copied_a + kCopiedA;
  cut.run();
}

void gemm(const Product& product, const float* a, const float* b, float* c, Buffer& scratch, const Finish& finish) {
  gemm_with(tile_set_for(static_cast<std::size_t>(product.columns)), product, a, b, c, scratch, finish);
}

void copy_columns(const float* from, std::size_t row, std::size_t count, std::size_t columns, std::size_t width,
                  float* to) {
  for (std::size_t i = 0; i < count; ++i, from += row, to += width) {
    copy_values(from, columns, to);
    if (width > columns) std::memset(to + columns, 0, (width - columns) * sizeof(float));
  }
}

void transpose_columns(const float* from, std::size_t row, std::size_t count, std::size_t columns, std::size_t width,
                       float* to) {
  std::size_t column = 0;
  for (; column + kLanes <= columns; column += kLanes) {
    std::size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      transpose_square(from + column * row + i, row, width, to + i * width + column);
    }
    for (; i < count; ++i) {
      for (std::size_t j = 0; j < kLanes; ++j) to[i * width + column + j] = from[(column + j) * row + i];
    }
  }
  for (; column < width; ++column) {
    for (std::size_t i = 0; i < count; ++i) to[i * width + column] = column < columns ? from[column * row + i] : 0;
  }
}

}  // namespace ddl::nn

#include "core/nn/layers/transformer/causal_attention.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/portable_math.hpp"
#include "core/nn/kernels/gemm.hpp"
#include "core/nn/kernels/lane_sums.hpp"

namespace ddl::nn {
namespace {

// Positions that are treated together: products leave out the blocks of later ones.
constexpr std::size_t kBlockRows = 16;

// A(i, k) = at[i * row + k * inner]; one of the two is 1.
struct Left {
  const float* at;
  std::size_t row, inner;
};

// C = A B, where the rows of B and C are `b_row` and `c_row` apart. Each value is one chain of fused multiply-adds in
// the order of its terms.
void multiply_parts(const Left& a, std::size_t rows, std::size_t terms, const float* b, std::size_t b_row,
                    std::size_t columns, float* c, std::size_t c_row, Buffer& scratch) {
  const TileSet& set = tile_set_for(columns);
  for (std::size_t column = 0; column < columns; column += set.columns) {
    PanelCall call;
    call.columns = std::min(set.columns, columns - column);
    call.rows = rows;
    call.terms = {.inner = terms, .a_inner = a.inner, .b_inner = b_row};
    call.a = a.at;
    call.a_row = a.row;
    call.b = b + column;
    if (const std::size_t padded = set.padded_columns(call.columns); padded != call.columns) {
      float* const copy = scratch.room(terms * padded);
      copy_columns(call.b, b_row, terms, call.columns, padded, copy);
      call.b = copy;
      call.terms.b_inner = padded;
    }
    call.c = c + column;
    call.c_row = c_row;
    set.panel(call);
  }
}

float largest_of(const float* values, std::size_t count) {
  float largest = values[0];
  for (std::size_t i = 1; i < count; ++i) largest = std::max(largest, values[i]);
  return largest;
}

}  // namespace

// One head of one sample: where its rows begin among the layer's inputs, which are `row` apart.
struct CausalAttention::Head {
  const float *queries, *keys, *values;
  std::size_t row;
  std::size_t input, output;  // its place in an input or its gradient, and in an output
  float* shares;              // positions x padded
};

CausalAttention::CausalAttention(Shape input, int heads)
    : Layer(input, {input.channels / 3, input.height, 1}),
      heads_(unsigned_of(heads)),
      channels_(unsigned_of(input.channels) / 3),
      positions_(unsigned_of(input.height)),
      width_(channels_ / heads_),
      padded_((positions_ + kBlockRows - 1) / kBlockRows * kBlockRows),
      scale_(1 / std::sqrt(static_cast<float>(width_))) {}

double CausalAttention::multiply_adds() const {
  const auto positions = static_cast<double>(positions_);
  return 2 * positions * positions * static_cast<double>(channels_);
}

template <class Visit>
void CausalAttention::each_head(int batch, const float* input, float* kept, Visit visit) const {
  for (std::size_t sample = 0; sample < unsigned_of(batch); ++sample) {
    for (std::size_t head = 0; head < heads_; ++head, kept += positions_ * padded_) {
      const std::size_t place = sample * this->input().size() + head * width_;
      const float* const queries = input + place;
      visit(Head{.queries = queries,
                 .keys = queries + channels_,
                 .values = queries + 2 * channels_,
                 .row = 3 * channels_,
                 .input = place,
                 .output = sample * output().size() + head * width_,
                 .shares = kept});
    }
  }
}

void CausalAttention::forward(const ForwardCall& call) const {
  float* const kept = call.kept.room(unsigned_of(call.batch) * heads_ * positions_ * padded_);
  float* const turned = call.scratch.room(width_ * padded_ + padded_);
  float* const exponents = turned + width_ * padded_;
  Buffer& copies = call.scratch.part(0);
  each_head(call.batch, call.input, kept, [&](const Head& head) {
    transpose_columns(head.keys, head.row, width_, positions_, padded_, turned);
    for (std::size_t begin = 0; begin < positions_; begin += kBlockRows) {
      const std::size_t seen = begin + kBlockRows, end = std::min(seen, positions_);
      float* const shares = head.shares + begin * padded_;
      multiply_parts({head.queries + begin * head.row, head.row, 1}, end - begin, width_, turned, padded_, seen, shares,
                     padded_, copies);
      for (std::size_t i = begin; i < end; ++i) {
        float* const row = head.shares + i * padded_;
        const float largest = largest_of(row, i + 1);
        for (std::size_t j = 0; j < seen; ++j) exponents[j] = scale_ * (row[j] - largest);
        portable_exp({exponents, seen}, {row, seen});
        std::fill(row + i + 1, row + padded_, 0.0f);
        const float factor = 1 / sum_of(row, seen);
        for (std::size_t j = 0; j < seen; ++j) row[j] *= factor;
      }
      multiply_parts({shares, padded_, 1}, end - begin, end, head.values, head.row, width_,
                     call.output + head.output + begin * channels_, channels_, copies);
    }
  });
}

// With S = scale Q K', P = softmax(S) and O = P V: dV = P' dO; dP = dO V'; dS = P (dP - the row's sum of P dP), by
// elements; dQ = scale dS K; dK = scale dS' Q.
void CausalAttention::backward(const BackwardCall& call) const {
  if (call.input_gradient == nullptr) return;
  float* const turned = call.scratch.room((width_ + positions_) * padded_);
  float* const slopes = turned + width_ * padded_;
  Buffer& copies = call.scratch.part(0);
  each_head(call.batch, call.input, call.kept.data(), [&](const Head& head) {
    float* const to_queries = call.input_gradient + head.input;
    float* const to_keys = to_queries + channels_;
    float* const to_values = to_keys + channels_;
    const float* const above = call.output_gradient + head.output;
    transpose_columns(head.values, head.row, width_, positions_, padded_, turned);
    for (std::size_t begin = 0; begin < positions_; begin += kBlockRows) {
      const std::size_t seen = begin + kBlockRows, end = std::min(seen, positions_);
      multiply_parts({above + begin * channels_, channels_, 1}, end - begin, width_, turned, padded_, seen,
                     slopes + begin * padded_, padded_, copies);
      for (std::size_t i = begin; i < end; ++i) {
        const float* const shares = head.shares + i * padded_;
        float* const row = slopes + i * padded_;
        const float mean = dot(shares, row, seen);
        for (std::size_t j = 0; j < seen; ++j) row[j] = scale_ * (shares[j] * (row[j] - mean));
      }
      multiply_parts({slopes + begin * padded_, padded_, 1}, end - begin, end, head.keys, head.row, width_,
                     to_queries + begin * head.row, head.row, copies);
    }
    for (std::size_t begin = 0; begin < positions_; begin += kBlockRows) {
      const std::size_t count = std::min(kBlockRows, positions_ - begin), later = positions_ - begin;
      const std::size_t corner = begin * padded_ + begin;
      multiply_parts({slopes + corner, 1, padded_}, count, later, head.queries + begin * head.row, head.row, width_,
                     to_keys + begin * head.row, head.row, copies);
      multiply_parts({head.shares + corner, 1, padded_}, count, later, above + begin * channels_, channels_, width_,
                     to_values + begin * head.row, head.row, copies);
    }
  });
}

}  // namespace ddl::nn

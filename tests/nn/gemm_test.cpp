#include "core/nn/kernels/gemm.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "tests/nn/gradient_check.hpp"

namespace ddl::nn {
namespace {

using Floats = std::vector<float>;

struct Sizes {
  int rows, columns, inner;
};
// Tails of every tile, several blocks of rows, several runs of terms, strides of whole pages.
constexpr Sizes kSizes[] = {{1, 1, 1},   {1, 10, 33},   {7, 1, 5},       {3, 5, 7},     {16, 16, 16},  {17, 31, 13},
                            {8, 33, 40}, {65, 67, 129}, {130, 100, 257}, {9, 1024, 20}, {5, 20, 1024}, {33, 9, 513}};

struct Example {
  Product product;
  Floats a, b, c, bias;
  Example(const Sizes& s, Op op_a, Op op_b)
      : product{op_a, op_b, s.rows, s.columns, s.inner},
        a(normal_values(static_cast<std::size_t>(s.rows * s.inner), 1)),
        b(normal_values(static_cast<std::size_t>(s.inner * s.columns), 2)),
        c(static_cast<std::size_t>(s.rows * s.columns), NAN),
        bias(normal_values(static_cast<std::size_t>(s.columns), 3)) {}
  float left(int i, int k) const {
    return a[static_cast<std::size_t>(product.a == Op::plain ? i * product.inner + k : k * product.rows + i)];
  }
  float right(int k, int j) const {
    return b[static_cast<std::size_t>(product.b == Op::plain ? k * product.columns + j : j * product.inner + k)];
  }
};

template <class Visit>
void each_example(Visit visit) {
  for (const Sizes& s : kSizes) {
    CAPTURE(s.rows);
    CAPTURE(s.columns);
    CAPTURE(s.inner);
    for (const Op op_a : {Op::plain, Op::transposed}) {
      for (const Op op_b : {Op::plain, Op::transposed}) visit(Example(s, op_a, op_b));
    }
  }
}

Floats product_of(const TileSet& set, const Example& e, const Finish& finish = {}) {
  Floats c = e.c;
  Buffer scratch;
  gemm_with(set, e.product, e.a.data(), e.b.data(), c.data(), scratch, finish);
  return c;
}

}  // namespace

// This makes it the definition up to rounding, and independent of old memory.
TEST_CASE("a product is a chain of fused multiply-adds in order, from its bias on, in runs of 256 terms, then relu") {
  each_example([](const Example& e) {
    const auto chain = [&](int i, int j, float start) {
      float total = 0;
      for (int first = 0; first < e.product.inner; first += 256) {
        float sum = first == 0 ? start : 0;
        for (int k = first; k < std::min(e.product.inner, first + 256); ++k) {
          sum = std::fma(e.left(i, k), e.right(k, j), sum);
        }
        total = first == 0 ? sum : total + sum;
      }
      return total;
    };
    Floats plain, finished;
    for (int i = 0; i < e.product.rows; ++i) {
      for (int j = 0; j < e.product.columns; ++j) {
        plain.push_back(chain(i, j, 0));
        finished.push_back(std::max(0.0f, chain(i, j, e.bias[static_cast<std::size_t>(j)])));
      }
    }
    for (const TileSet& set : tile_sets()) {
      CAPTURE(set.name);
      CHECK(product_of(set, e) == plain);
      CHECK(product_of(set, e, {.bias = e.bias.data(), .relu = true}) == finished);
    }
  });
}

TEST_CASE("a product has the same bits wherever its matrices lie and whichever thread forms it") {
  each_example([](const Example& e) {
    const auto run = [&](std::size_t shift) {
      Floats a(e.a.size() + shift), b(e.b.size() + shift), c(e.c.size() + shift);
      std::copy(e.a.begin(), e.a.end(), a.begin() + static_cast<std::ptrdiff_t>(shift));
      std::copy(e.b.begin(), e.b.end(), b.begin() + static_cast<std::ptrdiff_t>(shift));
      Buffer scratch;
      gemm(e.product, a.data() + shift, b.data() + shift, c.data() + shift, scratch);
      return Floats(c.begin() + static_cast<std::ptrdiff_t>(shift), c.end());
    };
    const Floats first = run(0);
    for (const std::size_t shift : {1, 3, 8}) CHECK(run(shift) == first);
    Floats elsewhere;
    std::thread([&] { elsewhere = run(5); }).join();
    CHECK(elsewhere == first);
  });
}

TEST_CASE("the plain kernels are always there, and narrow results take narrow vectors") {
  CHECK(std::string(tile_sets().back().name) == "plain");
  CHECK(tile_set_for(1000).lanes == tile_sets().front().lanes);
  if (tile_sets().size() == 3) CHECK(tile_set_for(8).lanes == 8);
}

}  // namespace ddl::nn

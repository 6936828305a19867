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

TEST_CASE("products agree with their definition for odd sizes and transposes, and do not read what was there") {
  each_example([](const Example& e) {
    for (const bool relu : {false, true}) {
      Floats result = e.c;
      Buffer scratch;
      gemm(e.product, e.a.data(), e.b.data(), result.data(), scratch, {.bias = e.bias.data(), .relu = relu});
      double worst = 0;
      for (int i = 0, at = 0; i < e.product.rows; ++i) {
        for (int j = 0; j < e.product.columns; ++j, ++at) {
          double sum = e.bias[static_cast<std::size_t>(j)];
          for (int k = 0; k < e.product.inner; ++k) sum += static_cast<double>(e.left(i, k)) * e.right(k, j);
          if (relu) sum = std::max(sum, 0.0);
          worst = std::max(worst, std::fabs(result[static_cast<std::size_t>(at)] - sum));
        }
      }
      CHECK(worst < 1e-6 * (10 + e.product.inner));
    }
  });
}

TEST_CASE("a sum is a chain of fused multiply-adds in order, in runs of 256 terms, whatever the kernels") {
  each_example([](const Example& e) {
    Floats expected;
    for (int i = 0; i < e.product.rows; ++i) {
      for (int j = 0; j < e.product.columns; ++j) {
        float total = 0;
        for (int first = 0; first < e.product.inner; first += 256) {
          float sum = 0;
          for (int k = first; k < std::min(e.product.inner, first + 256); ++k) {
            sum = std::fma(e.left(i, k), e.right(k, j), sum);
          }
          total = first == 0 ? sum : total + sum;
        }
        expected.push_back(total);
      }
    }
    for (const TileSet& set : tile_sets()) {
      CAPTURE(set.name);
      CHECK(product_of(set, e) == expected);
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

#include "core/nn/gemm.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/nn/gradient_check.hpp"

namespace ddl {
namespace {

std::vector<double> by_definition(const Product& p, double alpha, const std::vector<float>& a,
                                  const std::vector<float>& b, double beta, const std::vector<float>& c) {
  std::vector<double> result;
  for (int i = 0; i < p.rows; ++i) {
    for (int j = 0; j < p.columns; ++j) {
      double sum = 0;
      for (int k = 0; k < p.inner; ++k) {
        const int at_a = p.a == Op::plain ? i * p.inner + k : k * p.rows + i;
        const int at_b = p.b == Op::plain ? k * p.columns + j : j * p.inner + k;
        sum += static_cast<double>(a[static_cast<std::size_t>(at_a)]) * b[static_cast<std::size_t>(at_b)];
      }
      const double before = beta == 0 ? 0 : beta * c[static_cast<std::size_t>(i * p.columns + j)];
      result.push_back(alpha * sum + before);
    }
  }
  return result;
}

struct Sizes {
  int rows, columns, inner;
};
constexpr Sizes kSizes[] = {{1, 1, 1}, {1, 10, 33}, {7, 1, 5}, {3, 5, 7}, {16, 16, 16}, {17, 31, 13}, {65, 67, 129}};

}  // namespace

TEST_CASE("both matrix libraries agree with the definition of a product for odd sizes and transposes") {
  use_one_blas_thread();
  for (const Sizes& s : kSizes) {
    const std::vector<float> a = normal_values(static_cast<std::size_t>(s.rows * s.inner), 1);
    const std::vector<float> b = normal_values(static_cast<std::size_t>(s.inner * s.columns), 2);
    const std::vector<float> c = normal_values(static_cast<std::size_t>(s.rows * s.columns), 3);
    for (const Op op_a : {Op::plain, Op::transposed}) {
      for (const Op op_b : {Op::plain, Op::transposed}) {
        for (const float beta : {0.0f, 1.0f, 0.5f}) {
          const Product product{op_a, op_b, s.rows, s.columns, s.inner};
          const std::vector<double> expected = by_definition(product, 2, a, b, beta, c);
          for (const GemmBackend backend : {GemmBackend::openblas, GemmBackend::eigen}) {
            std::vector<float> result = c;
            gemm_with(backend, product, 2, a.data(), b.data(), beta, result.data());
            double worst = 0;
            for (std::size_t i = 0; i < result.size(); ++i) {
              worst = std::max(worst, std::fabs(result[i] - expected[i]));
            }
            CHECK(worst < 1e-6 * (10 + s.inner));
          }
        }
      }
    }
  }
}

TEST_CASE("a product that overwrites does not read what was there") {
  for (const Sizes& s : kSizes) {
    const std::vector<float> a(static_cast<std::size_t>(s.rows * s.inner), 1.0f);
    const std::vector<float> b(static_cast<std::size_t>(s.inner * s.columns), 1.0f);
    std::vector<float> c(static_cast<std::size_t>(s.rows * s.columns), NAN);
    gemm({.rows = s.rows, .columns = s.columns, .inner = s.inner}, 1, a.data(), b.data(), 0, c.data());
    CHECK(c == std::vector<float>(c.size(), static_cast<float>(s.inner)));
  }
}

TEST_CASE("a product has the same bits wherever its matrices lie and whichever thread forms it") {
  use_one_blas_thread();
  for (const Sizes& s : kSizes) {
    for (const Op op_a : {Op::plain, Op::transposed}) {
      for (const Op op_b : {Op::plain, Op::transposed}) {
        const auto run = [&](std::size_t shift) {
          const std::size_t size_a = static_cast<std::size_t>(s.rows * s.inner);
          const std::size_t size_b = static_cast<std::size_t>(s.inner * s.columns);
          const std::vector<float> values_a = normal_values(size_a, 1), values_b = normal_values(size_b, 2);
          std::vector<float> a(size_a + 16), b(size_b + 16);
          std::vector<float> c(static_cast<std::size_t>(s.rows * s.columns) + 16);
          std::copy(values_a.begin(), values_a.end(), a.begin() + static_cast<std::ptrdiff_t>(shift));
          std::copy(values_b.begin(), values_b.end(), b.begin() + static_cast<std::ptrdiff_t>(shift));
          gemm({op_a, op_b, s.rows, s.columns, s.inner}, 1, a.data() + shift, b.data() + shift, 0, c.data() + shift);
          return std::vector<float>(c.begin() + static_cast<std::ptrdiff_t>(shift),
                                    c.end() - static_cast<std::ptrdiff_t>(16 - shift));
        };
        const std::vector<float> first = run(0);
        for (const std::size_t shift : {1, 3, 8}) CHECK(run(shift) == first);
        std::vector<float> elsewhere;
        std::thread([&] { elsewhere = run(5); }).join();
        CHECK(elsewhere == first);
      }
    }
  }
}

TEST_CASE("the kernels in use have a name") {
  const std::string kernels = gemm_kernels();
  CHECK(kernels.starts_with("OpenBLAS 0."));
  CHECK(kernels.find("Eigen 3.") != std::string::npos);
}

}  // namespace ddl

#include "core/base/rng.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

using ddl::Stream;
using ddl::stream;

TEST_CASE("a stream depends on seed, owner and purpose and on nothing else") {
  const auto first = stream(7, "w0", "minibatch").bits();
  CHECK(stream(7, "w0", "minibatch").bits() == first);
  CHECK(stream(8, "w0", "minibatch").bits() != first);
  CHECK(stream(7, "w1", "minibatch").bits() != first);
  CHECK(stream(7, "w0", "jitter").bits() != first);
  CHECK(stream(7, "w0m", "inibatch").bits() != first);
}

TEST_CASE("below() is within its bound and hits every value about equally often") {
  Stream random(1);
  std::array<int, 7> hits{};
  for (int i = 0; i < 70000; ++i) ++hits[random.below(7)];
  // 10,000 expected each; five standard deviations are 463.
  for (const int count : hits) CHECK(std::abs(count - 10000) < 463);
}

TEST_CASE("normal() has mean 0, variance 1 and the tails of a normal distribution") {
  Stream random(2);
  const int draws = 100000;
  double sum = 0, squares = 0;
  int beyond_two = 0;
  for (int i = 0; i < draws; ++i) {
    const double z = random.normal();
    sum += z;
    squares += z * z;
    beyond_two += std::fabs(z) > 2 ? 1 : 0;
  }
  CHECK(std::fabs(sum / draws) < 5 / std::sqrt(draws));
  CHECK(std::fabs(squares / draws - 1) < 5 * std::sqrt(2.0 / draws));
  CHECK(beyond_two / static_cast<double>(draws) == doctest::Approx(0.0455).epsilon(0.05));
}

TEST_CASE("a log-normal factor has mean 1 and is exactly 1 without jitter") {
  Stream random(3);
  CHECK(random.log_normal_mean_one(0) == 1.0);
  for (const double sigma : {0.1, 0.5}) {
    double sum = 0;
    const int draws = 200000;
    for (int i = 0; i < draws; ++i) sum += random.log_normal_mean_one(sigma);
    const double deviation = std::sqrt(std::exp(sigma * sigma) - 1);
    CHECK(std::fabs(sum / draws - 1) < 5 * deviation / std::sqrt(draws));
  }
}

TEST_CASE("gamma(shape) has mean and variance equal to its shape") {
  Stream random(4);
  for (const double shape : {0.3, 1.0, 4.5}) {
    const int draws = 100000;
    double sum = 0, squares = 0;
    for (int i = 0; i < draws; ++i) {
      const double x = random.gamma(shape);
      REQUIRE(x >= 0);
      sum += x;
      squares += x * x;
    }
    const double mean = sum / draws;
    CHECK(std::fabs(mean - shape) < 5 * std::sqrt(shape / draws));
    CHECK(squares / draws - mean * mean == doctest::Approx(shape).epsilon(0.06));
  }
}

TEST_CASE("shuffle gives a permutation, and each of three elements comes first a third of the time") {
  Stream random(5);
  std::array<int, 3> first{};
  for (int i = 0; i < 30000; ++i) {
    std::vector<int> values{0, 1, 2};
    ddl::shuffle(std::span<int>(values), random);
    REQUIRE(std::accumulate(values.begin(), values.end(), 0) == 3);
    ++first[static_cast<std::size_t>(values[0])];
  }
  for (const int count : first) CHECK(std::abs(count - 10000) < 5 * 82);
}

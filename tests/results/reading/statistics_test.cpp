#include "sim/results/reading/statistics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace ddl::results {

TEST_CASE("the interval of three values is Student's, by hand") {
  // Mean 2, deviation 1, and t of two degrees of freedom at 97.5 %: 4.30265 (any table).
  const auto three = estimate({1, 2, 3});
  REQUIRE(three.has_value());
  CHECK(three->mean == doctest::Approx(2));
  CHECK(three->deviation == doctest::Approx(1));
  CHECK(*three->half_width == doctest::Approx(4.30265 / std::sqrt(3)).epsilon(1e-5));
}

TEST_CASE("one value has no interval, none no mean, and divergence spreads") {
  CHECK_FALSE(estimate({}).has_value());
  CHECK(estimate({5})->mean == 5);
  CHECK_FALSE(estimate({5})->half_width.has_value());
  const auto diverged = estimate({1, std::numeric_limits<double>::quiet_NaN()});
  CHECK(std::isnan(diverged->mean));
  CHECK_FALSE(diverged->half_width.has_value());
}

TEST_CASE("groups of one constant have one mean, whatever their sizes") {
  const auto few = estimate(std::vector<double>(2, 0.873)), many = estimate(std::vector<double>(10, 0.873));
  CHECK(few->mean == many->mean);
  CHECK(many->deviation == 0);
}

}  // namespace ddl::results

#include "core/base/portable_math.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace ddl {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr float kInfinityFloat = std::numeric_limits<float>::infinity();

// The distance in units of the last place of the expected value.
double ulps(double actual, double expected) {
  const double unit = std::nextafter(std::fabs(expected), kInfinity) - std::fabs(expected);
  return std::fabs(actual - expected) / unit;
}
double ulps_float(float actual, double expected) {
  const auto nearest = std::fabs(static_cast<float>(expected));
  return std::fabs(actual - expected) / (double{std::nextafter(nearest, kInfinityFloat)} - nearest);
}

}  // namespace

TEST_CASE("portable exp is accurate over its whole range") {
  double worst = 0;
  for (double x = -708; x < 709.7; x += 0.0371) worst = std::max(worst, ulps(portable_exp(x), std::exp(x)));
  CHECK(worst < 3);
}

TEST_CASE("portable exp goes to zero, one and infinity where it should, and passes NaN on") {
  CHECK(portable_exp(0) == 1);
  CHECK(portable_exp(-1e30) == 0);
  CHECK(portable_exp(-kInfinity) == 0);
  CHECK(portable_exp(710) == kInfinity);
  CHECK(portable_exp(kInfinity) == kInfinity);
  CHECK(std::isnan(portable_exp(NAN)));
}

TEST_CASE("portable log is accurate over its whole range, also beside one and below the least normal number") {
  double worst = 0;
  for (double x = 1e-300; x < 1e300; x *= 1.037) worst = std::max(worst, ulps(portable_log(x), std::log(x)));
  for (double x = 0.5; x < 2; x += 0.000713) worst = std::max(worst, ulps(portable_log(x), std::log(x)));
  for (const double x : {5e-324, 1e-310, 2.2250738585072014e-308}) {
    worst = std::max(worst, ulps(portable_log(x), std::log(x)));
  }
  CHECK(worst < 3);
}

TEST_CASE("portable log knows its edges") {
  CHECK(portable_log(1) == 0);
  CHECK(portable_log(0) == -kInfinity);
  CHECK(portable_log(kInfinity) == kInfinity);
  CHECK(std::isnan(portable_log(-1)));
  CHECK(std::isnan(portable_log(NAN)));
}

TEST_CASE("portable exp of many values has the bits of single ones, and in float is accurate to a few units") {
  std::vector<double> x = {NAN, -kInfinity, kInfinity, -709, 710}, y;
  for (double at = -720; at < 720; at += 0.37) x.push_back(at);
  y.resize(x.size());
  portable_exp(x, y);
  for (std::size_t i = 0; i < x.size(); ++i)
    CHECK((y[i] == portable_exp(x[i]) || (std::isnan(x[i]) && std::isnan(y[i]))));
  std::vector<float> from, to;
  for (float at = -86.9f; at < 88; at += 0.0137f) from.push_back(at);
  to.resize(from.size());
  portable_exp(from, to);
  double worst = 0;
  for (std::size_t i = 0; i < to.size(); ++i) worst = std::max(worst, ulps_float(to[i], std::exp(double{from[i]})));
  CHECK(worst < 3);
  from = {-1e30f, 0};
  to.resize(2);
  portable_exp(from, to);
  CHECK((to[0] >= 0 && to[0] < 2e-38f));
  CHECK(to[1] == 1);
}

TEST_CASE(
    "portable gelu is the value times the normal distribution's share below it, and its slope is the derivative") {
  std::vector<float> x, y, slope;
  for (float at = -14; at < 14; at += 0.00137f) x.push_back(at);
  y.resize(x.size());
  slope.resize(x.size());
  portable_gelu(x, y, slope);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double at = x[i], share = std::erfc(-at / std::sqrt(2.0)) / 2;
    const double density = std::exp(-at * at / 2) / std::sqrt(8 * std::atan(1.0));
    // In the tail below, the relative error is that of the exponent's rounding.
    CHECK(y[i] == doctest::Approx(at * share).epsilon(at < -1 ? 1e-5 : 4e-7));
    CHECK(std::fabs(slope[i] - (share + at * density)) < 4e-7);
  }
}

TEST_CASE("portable tanh is accurate, odd and bounded") {
  double worst = 0;
  for (float x = -12; x < 12; x += 0.000917f) {
    worst = std::max(worst, ulps_float(portable_tanhf(x), std::tanh(double{x})));
    CHECK(portable_tanhf(-x) == -portable_tanhf(x));
  }
  CHECK(worst < 4);
  CHECK(portable_tanhf(1e-30f) == 1e-30f);
  CHECK(portable_tanhf(1e30f) == 1);
  CHECK(portable_tanhf(-kInfinityFloat) == -1);
  CHECK(std::isnan(portable_tanhf(NAN)));
}

TEST_CASE("many values at once have the same bits as one by one") {
  std::vector<float> x, tanhs(203);
  for (int i = 0; i < 203; ++i) x.push_back(0.9f * static_cast<float>(i - 101));
  portable_tanh(x, tanhs);
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(tanhs[i] == portable_tanhf(x[i]));
}

}  // namespace ddl

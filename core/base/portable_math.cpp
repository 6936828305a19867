#include "core/base/portable_math.hpp"

#include <bit>
#include <cstdint>
#include <limits>

#include "core/base/check.hpp"

namespace ddl {
namespace {

// Adding and subtracting 1.5 * 2^52 (float: 2^23) rounds to the nearest integer.
constexpr double kRounder = 6755399441055744.0;
constexpr float kRounderFloat = 12582912.0f;
// The logarithm of two in two pieces, the first short enough that its product with an exponent is exact.
constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
constexpr float kLn2HighFloat = 0x1.62e4p-1f, kLn2LowFloat = 0x1.7f7d1cp-20f;

double power_of_two(std::int64_t exponent) { return std::bit_cast<double>((exponent + 1023) << 52); }
float power_of_two_float(std::int32_t exponent) { return std::bit_cast<float>((exponent + 127) << 23); }

// The integer that a sum with the rounder holds.
std::int64_t whole_of(double rounded) {
  return std::bit_cast<std::int64_t>(rounded) - std::bit_cast<std::int64_t>(kRounder);
}

// exp(x) = 2^n exp(r) with |r| <= ln(2) / 2. Without branches and calls, so that loops over it become vector code. The
// power of two is applied in two factors because 2^1024 does not fit into a double.
inline double exp_inline(double x) {
  constexpr double least = -708, most = 709.79;
  const double below = x > most ? most : x, bounded = below < least ? least : below;
  const double rounded = bounded * 1.4426950408889634 + kRounder, whole = rounded - kRounder;
  const double r = (bounded - whole * kLn2High) - whole * kLn2Low;
  double sum = 1;
  const auto add_term = [&](double k) { sum = 1 + sum * r / k; };
  add_term(14), add_term(13), add_term(12), add_term(11), add_term(10), add_term(9), add_term(8);
  add_term(7), add_term(6), add_term(5), add_term(4), add_term(3), add_term(2);
  const std::int64_t n = whole_of(rounded), half = whole_of(whole * 0.5 + kRounder);
  const double value = (1 + sum * r) * power_of_two(half) * power_of_two(n - half);
  const double upper = x > most ? std::numeric_limits<double>::infinity() : value;
  return x < least ? 0 : upper;
}

// The same in float, where the Taylor series of degree 7 is exact, and without the edges: exp(-87) below -87, more than
// any float above 89.
inline float exp_inline(float x) {
  const float below = x > 89.0f ? 89.0f : x, bounded = below < -87.0f ? -87.0f : below;
  const float rounded = bounded * 1.44269504f + kRounderFloat;
  const std::int32_t n = std::bit_cast<std::int32_t>(rounded) - std::bit_cast<std::int32_t>(kRounderFloat);
  const float whole = rounded - kRounderFloat;
  const float r = (bounded - whole * kLn2HighFloat) - whole * kLn2LowFloat;
  float sum = 1.0f / 5040;
  sum = sum * r + 1.0f / 720;
  sum = sum * r + 1.0f / 120;
  sum = sum * r + 1.0f / 24;
  sum = sum * r + 1.0f / 6;
  sum = sum * r + 0.5f;
  sum = sum * (r * r) + r + 1.0f;
  const std::int32_t half = n >> 1;
  return sum * power_of_two_float(half) * power_of_two_float(n - half);
}

struct Gelu {
  float value, slope;
};

// Phi(-|x|) = exp(-x^2 / 2) P(t) with t = 1 / (1 + |x| / sqrt(8)): the form of Hastings, Approximations for Digital
// Computers, 1955, with a polynomial of degree 9 whose relative error is at most 5e-8.
inline Gelu gelu_inline(float x) {
  const float magnitude = x < 0 ? -x : x, density = exp_inline(-0.5f * (x * x));
  const float t = 1 / (1 + 0.353553391f * magnitude);
  float sum = -0.0294235218f;
  sum = sum * t + 0.141743675f;
  sum = sum * t - 0.242468163f;
  sum = sum * t + 0.13773118f;
  sum = sum * t - 0.0124095744f;
  sum = sum * t + 0.100958265f;
  sum = sum * t + 0.121650115f;
  sum = sum * t + 0.141174003f;
  sum = sum * t + 0.141043991f;
  const float tail = sum * t * density, share = x < 0 ? tail : 1 - tail;
  return {x * share, share + x * (0.398942280f * density)};
}

// Lambert's continued fraction near zero, where 1 - 2 / (exp(2x) + 1) would lose digits.
inline float tanhf_inline(float x) {
  const float magnitude = x < 0 ? -x : x;
  const float square = x * x;
  const float small = x * (945 + square * (105 + square)) / (945 + square * (420 + square * 15));
  const float large = 1 - 2 / (exp_inline(2 * magnitude) + 1);
  const float signed_large = x < 0 ? -large : large;
  return magnitude < 0.5f ? small : signed_large;
}

}  // namespace

double portable_exp(double x) { return x == x ? exp_inline(x) : x; }

double portable_log(double x) {
  if (!(x > 0)) return x == 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  if (x > std::numeric_limits<double>::max()) return x;
  std::int64_t exponent = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 0x1p54;
    exponent = -54;
  }
  const auto bits = std::bit_cast<std::int64_t>(x);
  exponent += (bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  if (mantissa > 1.4142135623730951) {
    mantissa /= 2;
    ++exponent;
  }
  // log m = 2 atanh s with s = (m - 1) / (m + 1), at most 0.172.
  const double f = mantissa - 1;
  const double s = f / (mantissa + 1);
  const double square = s * s;
  double sum = 0;
  for (int k = 23; k >= 3; k -= 2) sum = (sum + 2.0 / k) * square;
  const auto n = static_cast<double>(exponent);
  return n * kLn2High + (f - (s * (f - sum) - n * kLn2Low));
}

float portable_tanhf(float x) { return tanhf_inline(x); }

void portable_tanh(std::span<const float> x, std::span<float> y) {
  check(x.size() == y.size(), "spans of one length");
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = tanhf_inline(x[i]);
}

void portable_exp(std::span<const double> x, std::span<double> y) {
  check(x.size() == y.size(), "spans of one length");
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] == x[i] ? exp_inline(x[i]) : x[i];
}

void portable_exp(std::span<const float> x, std::span<float> y) {
  check(x.size() == y.size(), "spans of one length");
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = exp_inline(x[i]);
}

void portable_gelu(std::span<const float> x, std::span<float> y, std::span<float> slope) {
  check(x.size() == y.size() && x.size() == slope.size(), "spans of one length");
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto [value, steepness] = gelu_inline(x[i]);
    y[i] = value;
    slope[i] = steepness;
  }
}

}  // namespace ddl

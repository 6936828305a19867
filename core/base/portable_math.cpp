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

// exp(x) = 2^n exp(r) with |r| <= ln(2) / 2, where the Taylor series of degree 7 is exact to float. The power of two is
// applied in two factors because 2^128 does not fit into a float.
inline float exp_of_positive(float x) {
  const float bounded = x > 89.0f ? 89.0f : x;
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

// Lambert's continued fraction near zero, where 1 - 2 / (exp(2x) + 1) would lose digits.
inline float tanhf_inline(float x) {
  const float magnitude = x < 0 ? -x : x;
  const float square = x * x;
  const float small = x * (945 + square * (105 + square)) / (945 + square * (420 + square * 15));
  const float large = 1 - 2 / (exp_of_positive(2 * magnitude) + 1);
  const float signed_large = x < 0 ? -large : large;
  return magnitude < 0.5f ? small : signed_large;
}

}  // namespace

double portable_exp(double x) {
  if (!(x >= -708)) return x < -708 ? 0 : x;
  if (x > 709.79) return std::numeric_limits<double>::infinity();
  const double whole = (x * 1.4426950408889634 + kRounder) - kRounder;
  const double r = (x - whole * kLn2High) - whole * kLn2Low;
  double sum = 1;
  for (int k = 14; k >= 2; --k) sum = 1 + sum * r / k;
  const auto n = static_cast<std::int64_t>(whole);
  return (1 + sum * r) * power_of_two(n / 2) * power_of_two(n - n / 2);
}

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

}  // namespace ddl

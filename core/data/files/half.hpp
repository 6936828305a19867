// Floating-point numbers of 16 bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace ddl::data {

// binary16 of IEEE 754: 5 bits of exponent, 10 of fraction.
inline float of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 0x1f) return sign * (fraction == 0 ? HUGE_VALF : std::nanf(""));
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(0x400 + fraction), exponent - 25);
}

// The upper half of a float.
inline float of_bfloat16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

}  // namespace ddl::data

// Test for divergence: NaN or infinite values.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

namespace ddl {

// True without NaN and infinity. Reads at memory speed, and stops at the first block that has one.
inline bool all_finite(std::span<const float> values) {
  constexpr std::uint32_t exponent = 0x7f800000;
  constexpr std::size_t block = 4096;
  for (std::size_t begin = 0; begin < values.size(); begin += block) {
    std::uint32_t bad = 0;
    for (const float value : values.subspan(begin, std::min(block, values.size() - begin))) {
      bad |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(value) & exponent) == exponent);
    }
    if (bad != 0) return false;
  }
  return true;
}

}  // namespace ddl

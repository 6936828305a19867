#include "core/base/digest.hpp"

#include <bit>

namespace ddl {

void Digest::add(std::string_view bytes) {
  for (const char c : bytes) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
}

void Digest::add(std::span<const float> values) {
  // Hashes a word at a time: for large models, a byte at a time would take longer than training.
  for (const float value : values) {
    state_ = (state_ ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3u;
    state_ ^= state_ >> 29;
  }
}

std::string Digest::hex() const {
  std::string text(16, '0');
  for (int digit = 0; digit < 16; ++digit) {
    text[static_cast<std::size_t>(15 - digit)] = "0123456789abcdef"[(state_ >> (4 * digit)) & 15];
  }
  return text;
}

}  // namespace ddl

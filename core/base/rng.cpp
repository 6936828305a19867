#include "core/base/rng.hpp"

#include <bit>
#include <cmath>

#include "core/base/check.hpp"
#include "core/base/portable_math.hpp"

namespace ddl {
namespace {

std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// FNV-1a over the bytes and the length, so that ("ab", "c") and ("a", "bc") differ.
std::uint64_t hash(std::uint64_t state, std::string_view text) {
  for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return (state ^ text.size()) * 0x100000001b3u;
}

}  // namespace

Stream::Stream(std::uint64_t seed) : seed_(seed) {
  for (auto& word : state_) word = splitmix64(seed);
}

std::uint64_t Stream::bits() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Stream::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

std::uint64_t Stream::below(std::uint64_t bound) {
  check(bound > 0, "a range to draw from");
  // Draws in the incomplete last multiple of `bound` are rejected, which keeps the result unbiased (Lemire, 2019, needs
  // fewer divisions).
  const std::uint64_t unfair = (0 - bound) % bound;
  std::uint64_t draw = bits();
  while (draw < unfair) draw = bits();
  return draw % bound;
}

double Stream::normal() {
  // The polar method's second value is dropped: one call, one number, no hidden state.
  double u = 0, square = 0;
  do {
    u = 2 * uniform() - 1;
    const double v = 2 * uniform() - 1;
    square = u * u + v * v;
  } while (square >= 1 || square == 0);
  return u * std::sqrt(-2 * portable_log(square) / square);
}

double Stream::gamma(double shape) {
  check(shape > 0, "a positive shape");
  if (shape < 1) {
    // Gamma(a) = Gamma(a + 1) U^(1/a); a draw of 0 is replaced by the smallest positive draw.
    const double u = std::fmax(uniform(), 0x1p-53);
    return gamma(shape + 1) * portable_exp(portable_log(u) / shape);
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = std::fmax(uniform(), 0x1p-53);
    if (portable_log(u) < 0.5 * x * x + d - d * v + d * portable_log(v)) return d * v;
  }
}

double Stream::log_normal_mean_one(double sigma) {
  if (sigma == 0) return 1;
  return portable_exp(sigma * normal() - 0.5 * sigma * sigma);
}

Stream stream(std::uint64_t seed, std::string_view owner, std::string_view purpose) {
  std::uint64_t state = seed;
  const std::uint64_t mixed = splitmix64(state);
  return Stream(hash(hash(0xcbf29ce484222325u ^ mixed, owner), purpose));
}

}  // namespace ddl

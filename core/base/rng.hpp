// Named random streams and our own distributions: the standard library leaves its distributions and shuffle to the
// implementation, and a shared generator would let one worker's draws move another's.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ddl {

// xoshiro256++ (Blackman and Vigna, 2019), seeded through splitmix64.
class Stream {
 public:
  explicit Stream(std::uint64_t seed);

  std::uint64_t seed() const { return seed_; }  // its initial seed

  std::uint64_t bits();
  double uniform();                          // in [0, 1), 53 bits
  std::uint64_t below(std::uint64_t bound);  // in [0, bound), unbiased; bound > 0
  double normal();                           // mean 0, standard deviation 1 (Marsaglia's polar method)
  double gamma(double shape);                // scale 1, shape > 0 (Marsaglia and Tsang, 2000)
  double log_normal_mean_one(double sigma);  // exp(sigma z - sigma^2 / 2): mean exactly 1; 1 when sigma is 0

 private:
  std::uint64_t seed_;
  std::uint64_t state_[4];
};

// The stream of one purpose of one owner ("w3", "minibatch"): depends only on these three.
Stream stream(std::uint64_t seed, std::string_view owner, std::string_view purpose);

// Fisher-Yates.
template <class T>
void shuffle(std::span<T> values, Stream& random) {
  for (std::size_t left = values.size(); left > 1; --left) {
    const std::size_t pick = random.below(left);
    const T kept = values[left - 1];
    values[left - 1] = values[pick];
    values[pick] = kept;
  }
}

}  // namespace ddl

// Training progress of a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ddl {

// A count packed into a vector that travels: two floats, each small enough to be exact.
inline constexpr std::size_t packed_count_values = 2;
inline constexpr std::int64_t packed_count_base = 1 << 24;

inline void pack_count(std::int64_t count, std::vector<float>& into) {
  into.push_back(static_cast<float>(count / packed_count_base));
  into.push_back(static_cast<float>(count % packed_count_base));
}

inline std::int64_t unpack_count(std::span<const float> values) {
  return static_cast<std::int64_t>(values[0]) * packed_count_base + static_cast<std::int64_t>(values[1]);
}

// Training progress of a model. A step is over when each worker has given a gradient, as one sum or one by one.
struct ModelSteps {
  std::int64_t whole = 0;      // completed steps
  std::int64_t gradients = 0;  // in the present step

  // Counts `applied` gradients, when `workers` of them make a step.
  void advance(std::int64_t applied, std::int64_t workers) {
    gradients += applied;
    whole += gradients / workers;
    gradients %= workers;
  }

  // Packed into a vector that travels, and back. The present step's gradients do not travel.
  static constexpr std::size_t packed_values = packed_count_values;
  void pack(std::vector<float>& into) const { pack_count(whole, into); }
  static ModelSteps unpack(std::span<const float> values) { return {.whole = unpack_count(values)}; }
};

}  // namespace ddl

// Eight floats at a time wherever they lie in memory, for the loops compilers do not turn into vector code themselves.
#pragma once

#include <cstddef>
#include <cstring>

namespace ddl::nn {

inline constexpr std::size_t kLanes = 8;

// Vectors in registers. Passed by reference, because the calling convention for such types depends on the instruction
// set; copied as bytes, because they need not be aligned in memory.
struct Eight {
  using Values = float __attribute__((vector_size(kLanes * sizeof(float))));
  static void load(const float* from, Values& to) { std::memcpy(&to, from, sizeof to); }
  static void store(const Values& from, float* to) { std::memcpy(to, &from, sizeof from); }
};

// The same for a single float, so that one template handles whole blocks and the remainder.
struct One {
  using Values = float __attribute__((vector_size(sizeof(float))));
  static void load(const float* from, Values& to) { to = Values{*from}; }
  static void store(const Values& from, float* to) { *to = from[0]; }
};

}  // namespace ddl::nn

// Eight floats at a time wherever they lie in memory, for the loops compilers do not turn into vector code themselves.
#pragma once

#include <cstddef>

namespace ddl {

inline constexpr std::size_t kLanes = 8;

// Vectors in registers, and as they may lie among floats. Handed over by reference, because passing such types by value
// has another binary interface on each kind of CPU.
struct Eight {
  using Values = float __attribute__((vector_size(kLanes * sizeof(float))));
  using Stored = float __attribute__((vector_size(kLanes * sizeof(float)), aligned(alignof(float)), may_alias));
  static void load(const float* from, Values& to) { to = *reinterpret_cast<const Stored*>(from); }
  static void store(const Values& from, float* to) { *reinterpret_cast<Stored*>(to) = from; }
};

// The same for a single float, so that one template serves whole blocks and what is left over.
struct One {
  using Values = float __attribute__((vector_size(sizeof(float))));
  static void load(const float* from, Values& to) { to = Values{*from}; }
  static void store(const Values& from, float* to) { *to = from[0]; }
};

}  // namespace ddl

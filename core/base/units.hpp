// Dimensioned values as types, so that the reader of a setting knows the unit it requires.
#pragma once

#include <compare>

namespace ddl {

struct Seconds {
  double value = 0;
  auto operator<=>(const Seconds&) const = default;
};
struct Bytes {
  double value = 0;
  auto operator<=>(const Bytes&) const = default;
};
struct BytesPerSecond {
  double value = 0;
  auto operator<=>(const BytesPerSecond&) const = default;
};
struct FlopsPerSecond {
  double value = 0;
  auto operator<=>(const FlopsPerSecond&) const = default;
};

// A part of a number of things: 0.5 and 1.0, written with a point, are shares; 1 and 2 are counts.
struct ShareOrCount {
  double value = 1;
  bool is_count = false;

  double of(int all) const { return is_count ? value : value * all; }
};

}  // namespace ddl

// Dimensioned values as types, so that the reader of a setting knows which unit to require.
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

}  // namespace ddl

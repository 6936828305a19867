// What is remembered of ordered pairs of nodes, of which a large run has many more than it uses at any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>

namespace ddl::network {

struct Pair {
  int source = 0, target = 0;
  auto operator<=>(const Pair&) const = default;
};

struct HashOfPair {
  std::size_t operator()(const Pair& pair) const {
    return std::hash<std::uint64_t>{}(static_cast<std::uint64_t>(pair.source) * 0x9e3779b97f4a7c15 +
                                      static_cast<std::uint64_t>(pair.target));
  }
};

// In no order. References to values stay valid.
template <class T>
using ByPair = std::unordered_map<Pair, T, HashOfPair>;

}  // namespace ddl::network

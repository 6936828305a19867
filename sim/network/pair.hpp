// Values per ordered pair of nodes: a large run has many more pairs than it uses at any time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

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

// A value for each of many pairs. References to values stay valid.
template <class T>
class ByPair {
 public:
  // Made of `arguments` if there is none.
  template <class... Arguments>
  T& get(const Pair& pair, const Arguments&... arguments) {
    return values_.try_emplace(pair, arguments...).first->second;
  }
  // Null if there is none.
  T* find(const Pair& pair) {
    const auto found = values_.find(pair);
    return found == values_.end() ? nullptr : &found->second;
  }
  const T* find(const Pair& pair) const { return const_cast<ByPair*>(this)->find(pair); }
  void erase(const Pair& pair) { values_.erase(pair); }
  // Sorted by source, then target.
  std::vector<Pair> pairs() const {
    std::vector<Pair> pairs;
    for (const auto& [pair, value] : values_) pairs.push_back(pair);
    std::ranges::sort(pairs);
    return pairs;
  }

 private:
  std::unordered_map<Pair, T, HashOfPair> values_;
};

}  // namespace ddl::network

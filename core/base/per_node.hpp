// A value for each node, by its number.
#pragma once

#include <cstddef>
#include <vector>

namespace ddl {

// A value for each node, from 0 on, or for each worker, server or rank.
template <class T>
class PerNode : public std::vector<T> {
  using Values = std::vector<T>;

 public:
  PerNode() = default;
  explicit PerNode(int count) : Values(static_cast<std::size_t>(count)) {}
  PerNode(int count, const T& value) : Values(static_cast<std::size_t>(count), value) {}

  T& operator[](int node) { return Values::operator[](static_cast<std::size_t>(node)); }
  const T& operator[](int node) const { return Values::operator[](static_cast<std::size_t>(node)); }
  int count() const { return static_cast<int>(Values::size()); }
};

}  // namespace ddl

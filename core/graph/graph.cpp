#include "core/graph/graph.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "core/base/check.hpp"
#include "core/graph/random_regular.hpp"

namespace ddl::graph {
namespace {

// The least m with 2^m >= nodes.
int log2_up(int nodes) { return std::bit_width(static_cast<unsigned>(nodes - 1)); }

std::vector<int> sorted_without(int node, std::set<int> nodes) {
  nodes.erase(node);
  return {nodes.begin(), nodes.end()};
}

}  // namespace

bool is_undirected(GraphKind kind) {
  return kind != GraphKind::directed_ring && kind != GraphKind::exponential && kind != GraphKind::one_peer_exponential;
}

std::string degree_error(GraphKind kind, std::optional<int> degree, int nodes) {
  const std::string name = "\"" + std::string(name_of(kind)) + "\"";
  if (kind != GraphKind::random_regular) {
    return degree ? name + " has a degree of its own; expected no such key, or topology \"random_regular\"" : "";
  }
  if (!degree) return "is missing; " + name + " needs one";
  const std::string given = std::to_string(*degree) + " neighbours for each of " + std::to_string(nodes) + " workers";
  if (*degree >= nodes) return given + "; expected at most " + std::to_string(nodes - 1);
  if (*degree % 2 == 1 && nodes % 2 == 1) return given + " is an odd number of ends; expected an even degree";
  if (*degree == 1 && nodes > 2) return given + " leaves pairs unconnected; expected at least 2";
  return "";
}

Graph::Graph(GraphKind kind, int nodes, std::optional<int> degree, Stream random) : kind_(kind), nodes_(nodes) {
  check(nodes >= 1, "a graph of at least one node");
  if (kind != GraphKind::random_regular) return;
  check(degree_error(kind, degree, nodes).empty(), "a degree that has been complained of");
  drawn_ = random_regular_graph(nodes, *degree, random);
}

int Graph::rounds() const { return kind_ == GraphKind::one_peer_exponential ? std::max(1, log2_up(nodes_)) : 1; }

std::vector<int> Graph::targets(int node, std::int64_t round) const {
  if (kind_ == GraphKind::random_regular) return drawn_[static_cast<std::size_t>(node)];
  if (kind_ == GraphKind::torus) return torus_neighbours(node);
  std::set<int> found;
  for (const int offset : offsets(round)) found.insert((node + offset) % nodes_);
  return sorted_without(node, std::move(found));
}

std::vector<int> Graph::sources(int node, std::int64_t round) const {
  if (is_undirected(kind_)) return targets(node, round);
  std::set<int> found;
  for (const int offset : offsets(round)) found.insert((node + nodes_ - offset) % nodes_);
  return sorted_without(node, std::move(found));
}

std::vector<int> Graph::offsets(std::int64_t round) const {
  std::vector<int> result;
  switch (kind_) {
    case GraphKind::ring:
      return {1, nodes_ - 1};
    case GraphKind::directed_ring:
      return {1};
    case GraphKind::complete:
      for (int ahead = 1; ahead < nodes_; ++ahead) result.push_back(ahead);
      return result;
    case GraphKind::exponential:
      for (int ahead = 1; ahead < nodes_; ahead *= 2) result.push_back(ahead);
      return result;
    case GraphKind::undirected_exponential:
      for (int ahead = 1; ahead < nodes_; ahead *= 2) result.insert(result.end(), {ahead, nodes_ - ahead});
      return result;
    case GraphKind::one_peer_exponential:
      return {(1 << (round % rounds())) % nodes_};
    default:
      return {};
  }
}

std::vector<int> Graph::torus_neighbours(int node) const {
  int rows = 1;
  for (int divisor = 1; divisor * divisor <= nodes_; ++divisor) {
    if (nodes_ % divisor == 0) rows = divisor;
  }
  const int columns = nodes_ / rows, row = node / columns, column = node % columns;
  const auto at = [&](int r, int c) { return (r + rows) % rows * columns + (c + columns) % columns; };
  return sorted_without(node, {at(row - 1, column), at(row + 1, column), at(row, column - 1), at(row, column + 1)});
}

}  // namespace ddl::graph

#include "core/graph/random_regular.hpp"

#include <set>
#include <utility>

namespace ddl::graph {
namespace {

using Edge = std::pair<int, int>;  // the smaller end first

Edge edge(int a, int b) { return a < b ? Edge{a, b} : Edge{b, a}; }

std::set<Edge> circulant(int nodes, int degree) {
  std::set<Edge> edges;
  for (int node = 0; node < nodes; ++node) {
    for (int ahead = 1; ahead <= degree / 2; ++ahead) edges.insert(edge(node, (node + ahead) % nodes));
    if (degree % 2 == 1) edges.insert(edge(node, (node + nodes / 2) % nodes));
  }
  return edges;
}

bool is_connected(const std::vector<std::vector<int>>& neighbours) {
  std::vector<bool> reached(neighbours.size());
  std::vector<int> open{0};
  reached[0] = true;
  std::size_t count = 1;
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    for (const int next : neighbours[static_cast<std::size_t>(node)]) {
      if (reached[static_cast<std::size_t>(next)]) continue;
      reached[static_cast<std::size_t>(next)] = true;
      open.push_back(next);
      ++count;
    }
  }
  return count == neighbours.size();
}

std::vector<std::vector<int>> neighbours_of(int nodes, const std::set<Edge>& edges) {
  std::vector<std::vector<int>> neighbours(static_cast<std::size_t>(nodes));
  for (const auto& [a, b] : edges) neighbours[static_cast<std::size_t>(b)].push_back(a);  // smaller ones first
  for (const auto& [a, b] : edges) neighbours[static_cast<std::size_t>(a)].push_back(b);
  return neighbours;
}

}  // namespace

std::vector<std::vector<int>> random_regular_graph(int nodes, int degree, Stream& random) {
  std::set<Edge> present = circulant(nodes, degree);
  std::vector<Edge> edges(present.begin(), present.end());
  const auto swap_one = [&] {
    Edge& first = edges[random.below(edges.size())];
    Edge& second = edges[random.below(edges.size())];
    auto [a, b] = first;
    auto [c, d] = second;
    if (random.below(2) == 1) std::swap(c, d);
    if (a == c || a == d || b == c || b == d) return;
    const Edge one = edge(a, d), other = edge(c, b);
    if (present.contains(one) || present.contains(other)) return;
    present.erase(first);
    present.erase(second);
    present.insert({one, other});
    first = one;
    second = other;
  };
  std::vector<std::vector<int>> neighbours;
  do {
    for (std::size_t turn = 0; turn < 10 * edges.size(); ++turn) swap_one();
    neighbours = neighbours_of(nodes, present);
  } while (!is_connected(neighbours));
  return neighbours;
}

}  // namespace ddl::graph

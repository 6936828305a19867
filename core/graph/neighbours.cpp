#include "core/graph/neighbours.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace ddl::graph {
namespace {

constexpr int most_draws = 1000;

using NodePair = std::pair<int, int>;  // the smaller end first

NodePair edge(int a, int b) { return a < b ? NodePair{a, b} : NodePair{b, a}; }

std::set<NodePair> circulant(int nodes, int degree) {
  std::set<NodePair> edges;
  for (int node = 0; node < nodes; ++node) {
    for (int ahead = 1; ahead <= degree / 2; ++ahead) edges.insert(edge(node, (node + ahead) % nodes));
    if (degree % 2 == 1) edges.insert(edge(node, (node + nodes / 2) % nodes));
  }
  return edges;
}

Neighbours neighbours_of(int nodes, const std::set<NodePair>& edges) {
  Neighbours neighbours(static_cast<std::size_t>(nodes));
  for (const auto& [a, b] : edges) neighbours[static_cast<std::size_t>(b)].push_back(a);  // smaller ones first
  for (const auto& [a, b] : edges) neighbours[static_cast<std::size_t>(a)].push_back(b);
  return neighbours;
}

// Draws until it is connected.
template <class Draw>
std::optional<Neighbours> connected(int nodes, Draw draw) {
  for (int i = 0; i < most_draws; ++i) {
    Neighbours neighbours = neighbours_of(nodes, draw());
    if (is_connected(neighbours)) return neighbours;
  }
  return std::nullopt;
}

}  // namespace

bool is_connected(const Neighbours& neighbours) {
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

Neighbours random_regular_graph(int nodes, int degree, Stream& random) {
  std::set<NodePair> present = circulant(nodes, degree);
  std::vector<NodePair> edges(present.begin(), present.end());
  const auto swap_one = [&] {
    NodePair& first = edges[random.below(edges.size())];
    NodePair& second = edges[random.below(edges.size())];
    auto [a, b] = first;
    auto [c, d] = second;
    if (random.below(2) == 1) std::swap(c, d);
    if (a == c || a == d || b == c || b == d) return;
    const NodePair one = edge(a, d), other = edge(c, b);
    if (present.contains(one) || present.contains(other)) return;
    present.erase(first);
    present.erase(second);
    present.insert({one, other});
    first = one;
    second = other;
  };
  Neighbours neighbours;
  do {
    for (std::size_t turn = 0; turn < 10 * edges.size(); ++turn) swap_one();
    neighbours = neighbours_of(nodes, present);
  } while (!is_connected(neighbours));
  return neighbours;
}

std::optional<Neighbours> small_world_graph(int nodes, int degree, double probability, Stream& random) {
  return connected(nodes, [&] {
    const std::set<NodePair> lattice = circulant(nodes, degree);
    std::set<NodePair> edges = lattice;
    std::vector<int> degrees(static_cast<std::size_t>(nodes));
    for (const auto& [a, b] : lattice) ++degrees[static_cast<std::size_t>(a)], ++degrees[static_cast<std::size_t>(b)];
    for (int ahead = 1; ahead <= degree / 2; ++ahead) {
      for (int node = 0; node < nodes; ++node) {
        const int far = (node + ahead) % nodes;
        if (random.uniform() >= probability) continue;
        if (degrees[static_cast<std::size_t>(node)] == nodes - 1 || edges.erase(edge(node, far)) == 0) continue;
        int other = node;
        while (other == node || edges.contains(edge(node, other))) {
          other = static_cast<int>(random.below(static_cast<std::uint64_t>(nodes)));
        }
        edges.insert(edge(node, other));
        --degrees[static_cast<std::size_t>(far)];
        ++degrees[static_cast<std::size_t>(other)];
      }
    }
    return edges;
  });
}

std::optional<Neighbours> erdos_renyi_graph(int nodes, double probability, Stream& random) {
  return connected(nodes, [&] {
    std::set<NodePair> edges;
    for (int a = 0; a < nodes; ++a) {
      for (int b = a + 1; b < nodes; ++b) {
        if (random.uniform() < probability) edges.insert({a, b});
      }
    }
    return edges;
  });
}

Neighbours line_graph(int nodes) {
  std::set<NodePair> edges;
  for (int node = 1; node < nodes; ++node) edges.insert({node - 1, node});
  return neighbours_of(nodes, edges);
}

Neighbours star_graph(int nodes) {
  std::set<NodePair> edges;
  for (int node = 1; node < nodes; ++node) edges.insert({0, node});
  return neighbours_of(nodes, edges);
}

Neighbours grid_graph(int nodes, int columns) {
  std::set<NodePair> edges;
  for (int node = 0; node < nodes; ++node) {
    if ((node + 1) % columns != 0) edges.insert({node, node + 1});
    if (node + columns < nodes) edges.insert({node, node + columns});
  }
  return neighbours_of(nodes, edges);
}

Neighbours hierarchical_graph(int nodes, int group) {
  std::set<NodePair> edges;
  for (int a = 0; a < nodes; ++a) {
    for (int b = a + 1; b < nodes; ++b) {
      const bool firsts = a % group == 0 && b % group == 0;
      if (firsts || a / group == b / group) edges.insert({a, b});
    }
  }
  return neighbours_of(nodes, edges);
}

int columns_of_grid(int nodes) {
  int rows = 1;
  for (int divisor = 1; divisor * divisor <= nodes; ++divisor) {
    if (nodes % divisor == 0) rows = divisor;
  }
  return nodes / rows;
}

}  // namespace ddl::graph

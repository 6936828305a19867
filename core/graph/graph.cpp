#include "core/graph/graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "core/base/check.hpp"
#include "core/graph/neighbours.hpp"

namespace ddl::graph {
namespace {

// The least m with 2^m >= nodes.
int log2_up(int nodes) { return std::bit_width(static_cast<unsigned>(nodes - 1)); }

std::vector<int> sorted_without(int node, std::set<int> nodes) {
  nodes.erase(node);
  return {nodes.begin(), nodes.end()};
}

const std::vector<int>& of(const std::vector<std::vector<int>>& lists, int node) {
  return lists[static_cast<std::size_t>(node)];
}

std::optional<Neighbours> neighbours_of(const GraphObject& graph, int nodes, Stream& random) {
  switch (*graph.type) {
    case GraphKind::random_regular:
      check(degree_error(*graph.type, graph.degree, nodes).empty(), "a degree that has been complained of");
      return random_regular_graph(nodes, *graph.degree, random);
    case GraphKind::line:
      return line_graph(nodes);
    case GraphKind::star:
      return star_graph(nodes);
    case GraphKind::grid:
      return grid_graph(nodes, columns_of_grid(nodes));
    case GraphKind::hierarchical:
      return hierarchical_graph(nodes, graph.group.value());
    case GraphKind::small_world:
      if (nodes < 3) return line_graph(nodes);
      return small_world_graph(nodes, graph.degree.value(), graph.probability.value(), random);
    case GraphKind::erdos_renyi:
      return erdos_renyi_graph(nodes, graph.probability.value(), random);
    default:
      return Neighbours();  // the same seen from every node
  }
}

bool all_alike(const std::vector<std::vector<int>>& lists) {
  return std::ranges::all_of(lists, [&](const auto& list) { return list.size() == lists.front().size(); });
}

}  // namespace

Graph::Graph(const Topology& topology, std::optional<int> degree, int nodes, std::span<const std::string> names,
             Stream random)
    : nodes_(nodes) {
  check(nodes >= 1, "a graph of at least one node");
  for (GraphObject graph : topology.rounds(degree)) {
    fill_defaults(graph, nodes);
    rounds_.push_back(round_of(graph, names, random));
  }
  for (int round = 0; round < rounds(); ++round) degrees_.push_back(static_cast<int>(targets(0, round).size()));
}

Graph::Round Graph::round_of(const GraphObject& graph, std::span<const std::string> names, Stream& random) const {
  Round round;
  if (graph.edges) {
    add_edges(graph, names, round);
  } else {
    round.kind = *graph.type;
    round.drawn = ddl::graph::is_drawn(*graph.type);
    auto neighbours = neighbours_of(graph, nodes_, random);
    if (!neighbours) {
      throw InputError("$.algorithm.topology: \"" + std::string(name_of(round.kind)) +
                       "\" was drawn 1,000 times and never connected; expected a larger probability");
    }
    round.targets = std::move(*neighbours);
  }
  const bool both_ways = round.sources.empty();
  round.even = round.weights.empty() && all_alike(round.targets) && (both_ways || all_alike(round.sources));
  if (both_ways) round.sources = round.targets;
  return round;
}

void Graph::add_edges(const GraphObject& graph, std::span<const std::string> names, Round& round) const {
  std::map<std::string, int> node_named;
  for (std::size_t node = 0; node < names.size(); ++node) node_named[names[node]] = static_cast<int>(node);
  std::vector<std::map<int, double>> weights(static_cast<std::size_t>(nodes_));
  std::vector<std::set<int>> sources(static_cast<std::size_t>(nodes_));
  bool weighted = false;
  for (const Edge& edge : graph.edges->list()) {
    check(node_named.contains(edge.from) && node_named.contains(edge.to), "a host that has been complained of");
    const auto from = node_named[edge.from], to = node_named[edge.to];
    weighted = weighted || edge.weight.has_value();
    const auto add = [&](int source, int target) {
      weights[static_cast<std::size_t>(source)][target] = edge.weight.value_or(0);
      sources[static_cast<std::size_t>(target)].insert(source);
    };
    add(from, to);
    if (!graph.directed) add(to, from);
  }
  for (const auto& of_node : weights) {
    std::vector<int>& targets = round.targets.emplace_back();
    if (weighted) round.weights.emplace_back();
    for (const auto& [target, weight] : of_node) {
      targets.push_back(target);
      if (weighted) round.weights.back().push_back(weight);
    }
  }
  if (!graph.directed) return;
  for (const auto& of_node : sources) round.sources.emplace_back(of_node.begin(), of_node.end());
}

int Graph::rounds() const {
  if (rounds_.size() > 1 || rounds_[0].kind != GraphKind::one_peer_exponential) return static_cast<int>(rounds_.size());
  return std::max(1, log2_up(nodes_));
}

bool Graph::is_drawn() const {
  return std::ranges::any_of(rounds_, [](const Round& round) { return round.drawn; });
}

std::vector<int> Graph::targets(int node, std::int64_t round) const {
  const Round& graph = at(round);
  if (!graph.targets.empty()) return of(graph.targets, node);
  if (graph.kind == GraphKind::torus) return torus_neighbours(node);
  std::set<int> found;
  for (const int offset : offsets(graph.kind, round)) found.insert((node + offset) % nodes_);
  return sorted_without(node, std::move(found));
}

std::vector<int> Graph::sources(int node, std::int64_t round) const {
  const Round& graph = at(round);
  if (!graph.sources.empty()) return of(graph.sources, node);
  if (is_undirected(graph.kind)) return targets(node, round);
  std::set<int> found;
  for (const int offset : offsets(graph.kind, round)) found.insert((node + nodes_ - offset) % nodes_);
  return sorted_without(node, std::move(found));
}

double Graph::weight(int node, int source, std::int64_t round) const {
  const Round& graph = at(round);
  if (graph.even) return weight(round);
  if (!graph.weights.empty()) return share(source, node, round);
  return 1.0 / (1 + static_cast<double>(std::max(of(graph.targets, node).size(), of(graph.targets, source).size())));
}

double Graph::share(int node, int target, std::int64_t round) const {
  const Round& graph = at(round);
  if (graph.even) return weight(round);
  const std::vector<int>& targets = of(graph.targets, node);
  if (graph.weights.empty()) return 1.0 / (1 + static_cast<double>(targets.size()));
  const auto place = std::ranges::lower_bound(targets, target) - targets.begin();
  return graph.weights[static_cast<std::size_t>(node)][static_cast<std::size_t>(place)];
}

std::vector<int> Graph::offsets(GraphKind kind, std::int64_t round) const {
  std::vector<int> result;
  switch (kind) {
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
  const int columns = columns_of_grid(nodes_), rows = nodes_ / columns, row = node / columns, column = node % columns;
  const auto at_place = [&](int r, int c) { return (r + rows) % rows * columns + (c + columns) % columns; };
  return sorted_without(node, {at_place(row - 1, column), at_place(row + 1, column), at_place(row, column - 1),
                               at_place(row, column + 1)});
}

}  // namespace ddl::graph

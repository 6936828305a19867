#include "core/graph/pairs.hpp"

#include <set>

#include "core/graph/graph.hpp"

namespace ddl::graph {
namespace {

std::vector<std::vector<int>> neighbours_in(const GraphObject& object, int nodes, std::span<const std::string> names) {
  Topology topology;
  topology.is = object;
  const Graph graph(topology, std::nullopt, nodes, names, Stream(0));
  std::vector<std::vector<int>> neighbours;
  for (int node = 0; node < nodes; ++node) neighbours.push_back(graph.targets(node, 0));
  return neighbours;
}

// For each node whether it is an odd number of edges away from node 0; none if both hold for one. The graph is
// connected.
std::optional<std::vector<bool>> two_kinds(const std::vector<std::vector<int>>& neighbours) {
  std::vector<std::optional<bool>> odd(neighbours.size());
  std::vector<int> open = {0};
  odd[0] = false;
  while (!open.empty()) {
    const auto node = static_cast<std::size_t>(open.back());
    open.pop_back();
    for (const int next : neighbours[node]) {
      auto& its = odd[static_cast<std::size_t>(next)];
      if (!its) {
        its = !*odd[node];
        open.push_back(next);
      } else if (*its == *odd[node]) {
        return std::nullopt;
      }
    }
  }
  std::vector<bool> kinds;
  for (const auto& its : odd) kinds.push_back(its.value_or(false));
  return kinds;
}

}  // namespace

std::vector<GraphError> errors_in(const PairTopology& topology, int nodes, std::span<const std::string> names) {
  const auto* object = std::get_if<GraphObject>(&topology.is);
  if (object == nullptr) return {};
  if (object->type && (is_drawn(*object->type) || !is_undirected(*object->type))) {
    return {{"topology.type", "\"" + std::string(name_of(*object->type)) +
                                  "\" does not divide workers into active and passive ones; expected \"line\", "
                                  "\"star\", \"grid\", or edges"}};
  }
  Topology own;
  own.is = *object;
  std::vector<GraphError> errors =
      errors_in(own, std::nullopt, nodes, names, {.undirected = "pairs are the same in every round", .weights = false});
  if (!errors.empty() || (object->edges && names.empty())) return errors;
  if (!two_kinds(neighbours_in(*object, nodes, names))) {
    errors.push_back({"topology",
                      "has a circle of an odd number of workers, so that no active one has passive ones alone around "
                      "it; expected circles of even length"});
  }
  return errors;
}

void fill_defaults(PairTopology& topology, int nodes) {
  if (auto* object = std::get_if<GraphObject>(&topology.is)) fill_defaults(*object, nodes);
}

Pairs::Pairs(const PairTopology& topology, int nodes, std::span<const std::string> names) : nodes_(nodes) {
  if (const auto* object = std::get_if<GraphObject>(&topology.is)) {
    own_ = neighbours_in(*object, nodes, names);
    active_ = two_kinds(own_).value();
    return;
  }
  graph_ = std::get<PairGraph>(topology.is);
  for (int node = 0; node < nodes; ++node) active_.push_back(node % 2 == 1);
}

std::vector<int> Pairs::partners(int node) const {
  if (!own_.empty()) return own_[static_cast<std::size_t>(node)];
  std::set<int> found;
  const auto take = [&](int distance) {
    for (const int other : {(node + distance) % nodes_, (node + nodes_ - distance % nodes_) % nodes_}) {
      if (is_active(other) != is_active(node)) found.insert(other);
    }
  };
  take(1);
  for (int power = 2; graph_ == PairGraph::exponential && 1 + power < nodes_; power *= 2) take(1 + power);
  for (int other = 0; graph_ == PairGraph::complete && other < nodes_; ++other) take(other);
  return {found.begin(), found.end()};
}

}  // namespace ddl::graph

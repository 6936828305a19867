// Bipartite graphs for exchanges in pairs: active nodes ask, passive ones answer, so that no cycle of waits can arise.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/base/field_value.hpp"
#include "core/base/fields.hpp"
#include "core/graph/topology.hpp"

namespace ddl::graph {

enum class PairGraph {
  ring,         // an odd ring leaves out the edge between its two passive ends
  exponential,  // Assran et al.'s implementation of AD-PSGD
  complete
};
constexpr auto enum_names(PairGraph) {
  using enum PairGraph;
  return std::to_array<EnumName<PairGraph>>(
      {{ring, "ring", "ad_psgd: the neighbours"},
       {exponential, "bipartite_exponential", "ad_psgd: those 1, 3, 5, 9, 17 ... ahead and behind"},
       {complete, "complete_bipartite", "ad_psgd: all workers of the other kind, active or passive"}});
}

// One of them, or a graph of one's own whose circles are all of even length.
struct PairTopology {
  PairTopology(PairGraph graph = PairGraph::ring) : is(graph) {}
  std::variant<PairGraph, GraphObject> is;
};
inline FieldValue form_of(PairTopology& topology) { return either(topology.is, no_graph, a_graph); }

void fill_defaults(PairTopology& topology, int nodes);
std::vector<GraphError> errors_in(const PairTopology& topology, int nodes, std::span<const std::string> names);

// Active nodes ask, passive ones answer. In a named graph the odd nodes are active; in a graph of one's own, the nodes
// at an odd number of edges from node 0.
class Pairs {
 public:
  // The topology must have been checked; `names` are those of its edges.
  Pairs(const PairTopology& topology, int nodes, std::span<const std::string> names);

  bool is_active(int node) const { return active_[static_cast<std::size_t>(node)]; }
  // The nodes of the other kind that `node` exchanges with, ascending.
  std::vector<int> partners(int node) const;

 private:
  int nodes_;
  PairGraph graph_ = PairGraph::ring;
  std::vector<bool> active_;
  std::vector<std::vector<int>> own_;  // neighbours in a graph of the user's
};

}  // namespace ddl::graph

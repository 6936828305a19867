// Settings for exchange graphs: a graph's name, a graph of the user's, or several in turn.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/field_value.hpp"
#include "core/base/fields.hpp"

namespace ddl::graph {

enum class GraphKind {
  ring,
  directed_ring,
  torus,
  complete,
  random_regular,
  exponential,  // Assran et al., ICML 2019; Ying et al., NeurIPS 2021
  undirected_exponential,
  one_peer_exponential,  // in round k the one 2^(k mod ceil(log2 n)) ahead
  line,
  star,
  grid,
  hierarchical,
  small_world,  // Watts and Strogatz, Nature 1998
  erdos_renyi   // Gilbert, 1959
};
constexpr auto enum_names(GraphKind) {
  using enum GraphKind;
  return std::to_array<EnumName<GraphKind>>(
      {{ring, "ring", "both neighbours"},
       {directed_ring, "directed_ring", "the next worker"},
       {torus, "torus", "four neighbours in a grid as square as the count of workers allows"},
       {complete, "complete", "all other workers"},
       {random_regular, "random_regular", "algorithm.degree neighbours each, drawn once; connected"},
       {exponential, "exponential", "those 1, 2, 4, 8 ... ahead"},
       {undirected_exponential, "undirected_exponential", "those 1, 2, 4, 8 ... ahead and behind"},
       {one_peer_exponential, "one_peer_exponential", "one in each round: 1, 2, 4, 8 ... ahead in turn"},
       {line, "line", "both neighbours on a ring that is open"},
       {star, "star", "all with the first worker"},
       {grid, "grid", "up to four neighbours on a torus that is open"},
       {hierarchical, "hierarchical",
        "complete graphs of \"group\" workers, whose first ones are a complete graph, too"},
       {small_world, "small_world",
        "a ring with \"degree\" neighbours, of whose edges some move: drawn once; connected"},
       {erdos_renyi, "erdos_renyi", "each pair with a \"probability\": drawn once; connected"}});
}

// True if every edge goes both ways, in every round.
bool is_undirected(GraphKind kind);
// True if it depends on the seed.
bool is_drawn(GraphKind kind);
// True if all nodes have as many sources as targets, and as many as any other node, whatever their number.
bool is_regular(GraphKind kind);

// An edge of a user's graph, between hosts.
struct Edge {
  std::string from, to;
  std::optional<double> weight;
  bool operator==(const Edge&) const = default;
  auto operator<=>(const Edge&) const = default;
};
// A CSV file, whose rows the reader of scenarios puts in its place; pairs; or edges with weights.
struct Edges {
  using Pairs = std::vector<std::vector<std::string>>;
  std::variant<Pairs, std::vector<Edge>, std::string> are;

  std::vector<Edge> list() const;
  bool operator==(const Edges&) const = default;
  auto operator<=>(const Edges&) const = default;
};
inline FieldValue form_of(Edges& edges) {
  return either(edges.are, "is no list of edges",
                R"(expected pairs such as [["w0", "w1"]], edges such as [{"from": "w0", "to": "w1"}], or a CSV file)");
}

// A graph that a name does not say all of.
struct GraphObject {
  std::optional<GraphKind> type;
  std::optional<int> degree;
  std::optional<double> probability;
  std::optional<int> group;
  std::optional<Edges> edges;
  bool directed = false;

  bool operator==(const GraphObject&) const = default;
  auto operator<=>(const GraphObject&) const = default;
};

inline constexpr const char *no_graph = "is no graph",
                            *a_graph = R"(expected a graph's name, {"type": ...} or {"edges": ...})";

struct OneGraph {
  std::variant<GraphKind, GraphObject> is;
  bool operator==(const OneGraph&) const = default;
  auto operator<=>(const OneGraph&) const = default;
};
inline FieldValue form_of(OneGraph& graph) { return either(graph.is, no_graph, a_graph); }

struct Topology {
  Topology(GraphKind kind = GraphKind::ring) : is(kind) {}
  std::variant<GraphKind, GraphObject, std::vector<OneGraph>> is;

  // The graphs of the rounds in turn, as objects; `degree` is that of those named random_regular.
  std::vector<GraphObject> rounds(std::optional<int> degree) const;
  bool operator==(const Topology&) const = default;
  auto operator<=>(const Topology&) const = default;
};
inline FieldValue form_of(Topology& topology) {
  return either(topology.is, no_graph,
                R"(expected a graph's name, {"type": ...}, {"edges": ...}, or a list of these, one a round)");
}

// Gives settings that were left out the values which they have over `nodes` nodes, and what can be said in several
// forms one of them: a name where it says all, and edges as objects.
void fill_defaults(GraphObject& graph, int nodes);
void fill_defaults(Topology& topology, int nodes);

// A system's demands on its graph.
struct GraphNeeds {
  const char* undirected = "";  // why edges must go both ways and stay, "" if they need not
  bool pushes = false;          // arcs may go one way: weights are shares that their sources give
  bool weights = true;          // it uses weights of edges
};

struct GraphError {
  std::string key;  // a key of the system: "degree", "topology", "topology.edges[3]"
  std::string what;
};
// Errors in a topology over `nodes` workers; names of hosts are not judged while they are unknown.
std::vector<GraphError> errors_in(const Topology& topology, std::optional<int> degree, int nodes,
                                  std::span<const std::string> names, const GraphNeeds& needs);

// Why there is no graph of this kind and degree over `nodes` nodes, or "". random_regular needs a degree, small_world
// may have one.
std::string degree_error(GraphKind kind, std::optional<int> degree, int nodes);

template <class Visitor>
void fields(Visitor& visit, Edge& edge) {
  visit("from", edge.from, Rule{.doc = "a worker's host"});
  visit("to", edge.to, Rule{.doc = "another one"});
  visit("weight", edge.weight,
        Rule{.doc = "what each gives the other's model, the rest being its own; directed: the share that `from` gives "
                    "away; default: Metropolis and Hastings' 1 / (1 + the larger degree), or 1 / (1 + targets)",
             .above = 0,
             .at_most = 1});
}
template <class Visitor>
void fields(Visitor& visit, GraphObject& graph) {
  visit("type", graph.type, Rule{.doc = "a graph's name"});
  visit(
      "degree", graph.degree,
      Rule{.doc = "random_regular: neighbours of each; small_world: neighbours on the ring before edges move (default: "
                  "4)",
           .at_least = 1});
  visit("probability", graph.probability,
        Rule{.doc = "small_world: that an edge moves (default: 0.1); erdos_renyi: of each edge (default: 2 ln n / n)",
             .at_least = 0,
             .at_most = 1});
  visit("group", graph.group,
        Rule{.doc = "hierarchical: nodes of a group; default: the square root of all, rounded", .at_least = 1});
  visit(
      "edges", graph.edges,
      Rule{.doc = "instead of a type: a CSV file with the header from,to or from,to,weight, or the edges themselves"});
  visit("directed", graph.directed, Rule{.doc = "edges go from `from` to `to` alone (sgp)"});
  visit.relation("degree", Relation::needs, "type=random_regular|small_world");
  visit.relation("probability", Relation::needs, "type=small_world|erdos_renyi");
  visit.relation("group", Relation::needs, "type=hierarchical");
  visit.relation("directed", Relation::needs, "edges");
}

}  // namespace ddl::graph

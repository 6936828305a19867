// Communication graphs of decentralized training: which nodes send to which. Every graph here is regular (all nodes
// have as many sources as targets, and as many as any other node), so equal weights give a doubly stochastic mixing
// matrix even where arcs are directed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.hpp"
#include "core/base/rng.hpp"

namespace ddl::graph {

enum class GraphKind {
  ring,                    // both neighbours
  directed_ring,           // the next one
  torus,                   // four neighbours in a grid as square as the count of nodes allows
  complete,                // all other nodes
  random_regular,          // `degree` neighbours, drawn once; connected
  exponential,             // those 1, 2, 4, 8 ... ahead (Assran et al., ICML 2019; Ying et al., NeurIPS 2021)
  undirected_exponential,  // those 1, 2, 4, 8 ... ahead and behind
  one_peer_exponential     // in round k the one 2^(k mod ceil(log2 n)) ahead
};
constexpr auto enum_names(GraphKind) {
  return in_order<GraphKind>("ring", "directed_ring", "torus", "complete", "random_regular", "exponential",
                             "undirected_exponential", "one_peer_exponential");
}

// Whether arcs come in pairs and are the same in every round.
bool is_undirected(GraphKind kind);

// Why there is no graph of this kind and degree over `nodes` nodes, or "". random_regular, and no other kind, needs a
// degree.
std::string degree_error(GraphKind kind, std::optional<int> degree, int nodes);

class Graph {
 public:
  // `degree` must have been checked; only random_regular draws from `random`.
  Graph(GraphKind kind, int nodes, std::optional<int> degree, Stream random);

  int nodes() const { return nodes_; }
  int rounds() const;  // after which the graph repeats: 1 unless it changes over rounds
  // Ascending, without the node itself.
  std::vector<int> targets(int node, std::int64_t round) const;
  std::vector<int> sources(int node, std::int64_t round) const;
  int degree(std::int64_t round) const { return static_cast<int>(targets(0, round).size()); }
  // W_ij of every arc, and W_ii: 1 / (1 + degree), which is Metropolis' 1 / (1 + max(deg_i, deg_j)).
  double weight(std::int64_t round) const { return 1.0 / (1 + degree(round)); }

 private:
  std::vector<int> offsets(std::int64_t round) const;  // of a graph that is the same seen from every node
  std::vector<int> torus_neighbours(int node) const;

  GraphKind kind_;
  int nodes_;
  std::vector<std::vector<int>> drawn_;  // random_regular: every node's neighbours
};

}  // namespace ddl::graph

// Communication graphs of decentralized training: which nodes send to which, and with which weights they average.
//
// In a regular graph (all nodes have as many sources as targets, and as many as any other node) all weights are equal,
// which gives a doubly stochastic mixing matrix even where arcs are directed. In others, whose edges go both ways, they
// are those of Metropolis and Hastings, W_ij = 1 / (1 + max(degree_i, degree_j)), which is symmetric; or a user's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/rng.hpp"
#include "core/graph/topology.hpp"

namespace ddl::graph {

class Graph {
 public:
  // The topology must have been checked; `names` are those of its edges. Throws InputError where a random graph is not
  // connected, however often it is drawn.
  Graph(const Topology& topology, std::optional<int> degree, int nodes, std::span<const std::string> names,
        Stream random);
  Graph(GraphKind kind, int nodes, std::optional<int> degree, Stream random)
      : Graph(Topology(kind), degree, nodes, {}, random) {}

  int nodes() const { return nodes_; }
  int rounds() const;     // after which the graph repeats: 1 unless it changes over rounds
  bool is_drawn() const;  // depends on the seed
  // Ascending, without the node itself.
  std::vector<int> targets(int node, std::int64_t round) const;
  std::vector<int> sources(int node, std::int64_t round) const;

  // True if the round's graph is regular and has no weights of its own: all weights are then weight(round).
  bool is_even(std::int64_t round) const { return at(round).even; }
  // Neighbours of each node.
  int degree(std::int64_t round) const { return degrees_[static_cast<std::size_t>(round) % degrees_.size()]; }
  double weight(std::int64_t round) const { return 1.0 / (1 + degree(round)); }
  // W_ij of the arc from `source` to `node`: what the node gives that model. The rest is its own. Where arcs go one way
  // and the graph is not even, there is no W.
  double weight(int node, int source, std::int64_t round) const;
  // Push-sum: the share that `node` gives to `target`. It keeps the rest.
  double share(int node, int target, std::int64_t round) const;

 private:
  struct Round {
    GraphKind kind = GraphKind::ring;
    bool drawn = false, even = true;
    // By node, if the graph looks different from different nodes.
    std::vector<std::vector<int>> targets = {}, sources = {};
    std::vector<std::vector<double>> weights = {};  // a user's, of each target
  };
  const Round& at(std::int64_t round) const { return rounds_[static_cast<std::size_t>(round) % rounds_.size()]; }
  Round round_of(const GraphObject& graph, std::span<const std::string> names, Stream& random) const;
  void add_edges(const GraphObject& graph, std::span<const std::string> names, Round& round) const;
  std::vector<int> offsets(GraphKind kind, std::int64_t round) const;  // where the graph looks alike from every node
  std::vector<int> torus_neighbours(int node) const;

  int nodes_;
  std::vector<Round> rounds_;
  std::vector<int> degrees_;  // node 0's, by round until they repeat
};

}  // namespace ddl::graph

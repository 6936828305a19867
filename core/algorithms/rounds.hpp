// Synchronous rounds between the neighbours of a graph. A node waits for its sources of the round and for nobody else;
// neighbours may run ahead of one another, and what comes early waits for its round.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/algorithms/node.hpp"
#include "core/algorithms/traffic.hpp"
#include "core/graph/graph.hpp"

namespace ddl {

class Rounds {
 public:
  // The graph is the same at all nodes of a run.
  Rounds(Node& node, GraphKind kind, std::optional<int> degree);

  const Graph& graph() const { return *graph_; }
  // To the round's targets but those known to have left; returns how many.
  int send(std::int64_t round, Message message);
  // W. The round's messages in order of their senders; a source that has left has none.
  std::vector<Message> receive(std::int64_t round);
  // No more rounds of this node: tells everybody who may wait for it.
  void leave();
  // W. Whatever comes next of any round, for a node that has left.
  Message receive_any();

 private:
  struct Source {
    std::deque<Message> early;
    bool left = false;
  };
  void sort_in(Message message);
  Source& source(int node) { return sources_[node]; }

  Node& node_;
  const std::shared_ptr<const Graph> graph_;
  std::map<int, Source> sources_;  // by node: of neighbours alone, so that a node's memory does not grow with the run's
};

// x = own * x + each * (sum of the messages' values), added in worker order so that nodes which mix the same models
// alike hold the same bits.
void mix(std::span<float> x, const std::vector<Message>& messages, int id, float own, float each);

// What one step sends: a model along every arc of the graph, in an average round.
Traffic traffic_along(GraphKind kind, std::optional<int> degree, const Cluster& cluster, double models);

}  // namespace ddl

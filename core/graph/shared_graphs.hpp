// The graphs of a run, one copy of each for all nodes: if each node drew its own random graph, time would grow with the
// square of the nodes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"

namespace ddl::graph {

// The same whenever it is drawn in a run of this seed.
inline Graph graph_of_run(GraphKind kind, std::optional<int> degree, int nodes, std::uint64_t seed) {
  return {kind, nodes, degree, stream(seed, "everybody", "graph")};
}

// Nodes may be threads.
class SharedGraphs {
 public:
  SharedGraphs(int nodes, std::uint64_t seed) : nodes_(nodes), seed_(seed) {}

  // Drawn when first asked for.
  std::shared_ptr<const Graph> get(GraphKind kind, std::optional<int> degree) {
    const std::scoped_lock held(mutex_);
    auto& graph = graphs_[{kind, degree}];
    if (!graph) graph = std::make_shared<const Graph>(graph_of_run(kind, degree, nodes_, seed_));
    return graph;
  }

  // Those that are drawn at random.
  std::vector<std::shared_ptr<const Graph>> drawn() const {
    const std::scoped_lock held(mutex_);
    std::vector<std::shared_ptr<const Graph>> found;
    for (const auto& [key, graph] : graphs_) {
      if (key.first == GraphKind::random_regular) found.push_back(graph);
    }
    return found;
  }

 private:
  const int nodes_;
  const std::uint64_t seed_;
  mutable std::mutex mutex_;
  std::map<std::pair<GraphKind, std::optional<int>>, std::shared_ptr<const Graph>> graphs_;
};

}  // namespace ddl::graph

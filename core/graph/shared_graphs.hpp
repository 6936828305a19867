// The graphs of a run, one copy of each for all nodes: if each node drew its own random graph, time would grow with the
// square of the nodes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"

namespace ddl::graph {

// The same whenever it is drawn in a run of this seed.
inline Graph graph_of_run(const Topology& topology, std::optional<int> degree, int nodes,
                          std::span<const std::string> names, std::uint64_t seed) {
  return {topology, degree, nodes, names, stream(seed, "everybody", "graph")};
}

// Nodes may be threads.
class SharedGraphs {
 public:
  SharedGraphs(int nodes, std::uint64_t seed) : nodes_(nodes), seed_(seed) {}

  // Drawn when first asked for.
  std::shared_ptr<const Graph> get(const Topology& topology, std::optional<int> degree,
                                   std::span<const std::string> names) {
    const std::scoped_lock held(mutex_);
    auto& graph = graphs_[{topology, degree}];
    if (!graph) graph = std::make_shared<const Graph>(graph_of_run(topology, degree, nodes_, names, seed_));
    return graph;
  }

  // Those that are drawn at random.
  std::vector<std::shared_ptr<const Graph>> drawn() const {
    const std::scoped_lock held(mutex_);
    std::vector<std::shared_ptr<const Graph>> found;
    for (const auto& [key, graph] : graphs_) {
      if (graph->is_drawn()) found.push_back(graph);
    }
    return found;
  }

 private:
  const int nodes_;
  const std::uint64_t seed_;
  mutable std::mutex mutex_;
  std::map<std::pair<Topology, std::optional<int>>, std::shared_ptr<const Graph>> graphs_;
};

}  // namespace ddl::graph

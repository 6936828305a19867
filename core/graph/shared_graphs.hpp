// One copy of each graph for all nodes of a run: if each node drew its own random graph, time would grow with the
// square of the nodes.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/graph/graph.hpp"

namespace ddl::graph {

class SharedGraphs {
 public:
  // Drawn from `seed` when first asked for; `nodes` and `seed` are the same in every call.
  std::shared_ptr<const Graph> get(GraphKind kind, std::optional<int> degree, int nodes, std::uint64_t seed) {
    auto& graph = graphs_[{kind, degree}];
    if (!graph) graph = std::make_shared<const Graph>(kind, nodes, degree, stream(seed, "everybody", "graph"));
    return graph;
  }

  // Those that are drawn at random.
  std::vector<std::shared_ptr<const Graph>> drawn() const {
    std::vector<std::shared_ptr<const Graph>> found;
    for (const auto& [key, graph] : graphs_) {
      if (key.first == GraphKind::random_regular) found.push_back(graph);
    }
    return found;
  }

 private:
  std::map<std::pair<GraphKind, std::optional<int>>, std::shared_ptr<const Graph>> graphs_;
};

}  // namespace ddl::graph

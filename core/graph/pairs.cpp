#include "core/graph/pairs.hpp"

#include <set>

namespace ddl::graph {

std::vector<int> partners(PairGraph graph, int nodes, int node) {
  std::set<int> found;
  const auto take = [&](int distance) {
    for (const int other : {(node + distance) % nodes, (node + nodes - distance % nodes) % nodes}) {
      if (is_active(other) != is_active(node)) found.insert(other);
    }
  };
  take(1);
  for (int power = 2; graph == PairGraph::exponential && 1 + power < nodes; power *= 2) take(1 + power);
  for (int other = 0; graph == PairGraph::complete && other < nodes; ++other) take(other);
  return {found.begin(), found.end()};
}

}  // namespace ddl::graph

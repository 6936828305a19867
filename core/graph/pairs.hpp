// Bipartite graphs for exchanges in pairs: active nodes ask, passive ones answer, so that no cycle of waits can arise.
#pragma once

#include <vector>

#include "core/base/fields.hpp"

namespace ddl::graph {

enum class PairGraph {
  ring,         // the neighbours; an odd ring leaves out the edge between its two passive ends
  exponential,  // those 1, 3, 5, 9, 17 ... ahead and behind (Assran et al.'s implementation of AD-PSGD)
  complete      // all nodes of the other kind
};
constexpr auto enum_names(PairGraph) {
  return in_order<PairGraph>("ring", "bipartite_exponential", "complete_bipartite");
}

inline bool is_active(int node) { return node % 2 == 1; }

// The nodes of the other kind that `node` exchanges with, ascending.
std::vector<int> partners(PairGraph graph, int nodes, int node);

}  // namespace ddl::graph

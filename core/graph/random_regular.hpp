// Random regular graphs.
#pragma once

#include <vector>

#include "core/base/rng.hpp"

namespace ddl::graph {

// The neighbours of every node, ascending: a connected graph in which each of `nodes` has `degree`. Starts from a
// circulant one and swaps the ends of random pairs of edges, ten times as often as there are edges and until it is
// connected; every such graph can result (Taylor, 1981), with nearly equal probabilities.
std::vector<std::vector<int>> random_regular_graph(int nodes, int degree, Stream& random);

}  // namespace ddl::graph

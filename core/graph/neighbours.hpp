// Undirected graphs as lists of neighbours, ascending, by node.
#pragma once

#include <optional>
#include <vector>

#include "core/base/rng.hpp"

namespace ddl::graph {

using Neighbours = std::vector<std::vector<int>>;

bool is_connected(const Neighbours& neighbours);

// A connected graph in which each of `nodes` has `degree` neighbours. Starts from a circulant one and swaps the ends of
// random pairs of edges, ten times as often as there are edges and until it is connected; every such graph can result
// (Taylor, 1981), with nearly equal probabilities.
Neighbours random_regular_graph(int nodes, int degree, Stream& random);

// Watts and Strogatz (Nature 1998): a ring on which each node is joined with the `degree` nearest (even), where the far
// end of each edge moves with a probability to any node that is free. Drawn until it is connected; none after 1,000
// draws.
std::optional<Neighbours> small_world_graph(int nodes, int degree, double probability, Stream& random);

// Each pair of nodes is joined with a probability (Gilbert, 1959; called after Erdos and Renyi). Likewise.
std::optional<Neighbours> erdos_renyi_graph(int nodes, double probability, Stream& random);

Neighbours line_graph(int nodes);
Neighbours star_graph(int nodes);                     // node 0 is in the middle
Neighbours grid_graph(int nodes, int columns);        // row by row; `columns` divides `nodes`
Neighbours hierarchical_graph(int nodes, int group);  // groups are of nodes in a row; the last may be smaller

// The columns of a grid as square as its count of nodes allows.
int columns_of_grid(int nodes);

}  // namespace ddl::graph

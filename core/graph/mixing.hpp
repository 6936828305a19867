// Mixing matrices and how fast they bring models together.
#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"

namespace ddl::graph {

using Matrix = std::vector<std::vector<double>>;

// W of a round: row i says how node i weighs everybody's models.
Matrix mixing_matrix(const Graph& graph, std::int64_t round);

// The largest modulus of the eigenvalues of a doubly stochastic W, but for the 1 of equal models: the factor by which
// a round brings the models' distance from their mean down, at least. W must be normal (symmetric, or the same from
// every node), as for all graphs here: it is then the second singular value, which power iteration finds.
double second_eigenvalue(const Matrix& mixing);

}  // namespace ddl::graph

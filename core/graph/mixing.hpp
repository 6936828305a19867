// Mixing matrices and how fast they bring models together.
#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.hpp"

namespace ddl::graph {

using Matrix = std::vector<std::vector<double>>;

// W of a round: row i has the weights that node i gives all models.
Matrix mixing_matrix(const Graph& graph, std::int64_t round);

// The largest modulus of the eigenvalues of a doubly stochastic W, except the 1 whose eigenvector is equal models: each
// round shrinks the models' distance from their mean at least by this factor. W must be normal (symmetric, or the same
// from every node), as for all graphs here: it is then the second singular value, computed by power iteration.
double second_eigenvalue(const Matrix& mixing);

}  // namespace ddl::graph

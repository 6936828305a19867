// Mixing matrices and how fast they bring models together.
#pragma once

#include <cstdint>
#include <vector>

namespace ddl::graph {

class Graph;

using Matrix = std::vector<std::vector<double>>;

// W of a round: row i has the weights that node i gives all models.
Matrix mixing_matrix(const Graph& graph, std::int64_t round);
// Push-sum's matrix, by sources: row i has the shares that node i gives away, and its own.
Matrix share_matrix(const Graph& graph, std::int64_t round);

// The largest modulus of the eigenvalues of a doubly stochastic W, except the 1 whose eigenvector is equal models. If W
// is normal (symmetric, or the same from every node), as for all graphs with W here, each round shrinks the models'
// distance from their mean at least by this factor.
double second_eigenvalue(const Matrix& mixing);

// How averaging alone shrinks the models' distance from their mean (the root of the sum of squares).
struct Consensus {
  double factor = 1;  // over a round, in the long run; 0: the mean is reached
  int period = 1;     // rounds after which exchanges repeat

  double spectral_gap() const { return 1 - factor; }
  // Whole periods of rounds after which `share` of the distance is left, at most; infinite if it never is.
  double rounds_to(double share) const;
};

// Consensus is found for so many nodes at most, because its time grows with their cube.
constexpr int most_nodes_of_consensus = 256;

// Rounds on a graph in which models go a share of the way to the mean of their neighbours': W is
// (1 - share) I + share W. `late`: what is sent in a round arrives in the next one. A changing graph's factor is the
// mean over its period.
Consensus consensus_of(const Graph& graph, double share = 1, bool late = false);
// Push-sum on it, by the eigenvalues of its share matrices, without the one that conserves their sums.
Consensus consensus_of_push_sum(const Graph& graph, bool late);

// One of the exchanges that may come next: the first moves half-way to the second, or both move to their mean.
struct Exchange {
  int first = 0, second = 0;
  bool both_move = false;
  double weight = 1;  // how often, beside the others
};

// Exchanges one after the other, drawn independently: the expected square of the distance shrinks by the largest
// eigenvalue of E[W^T (I - 11^T / n) W] with each (Boyd, Ghosh, Prabhakar and Shah, Randomized Gossip Algorithms, 2006,
// where nodes' clocks tick independently).
Consensus consensus_of(int nodes, const std::vector<Exchange>& exchanges, double per_round);

// Models x_i of nodes and a center c which attract each other: every `period` rounds each node has its turn, in which
// x_i and c go a `share` of their difference towards each other, one turn after the other: where turns overlap, models
// come together more slowly, or apart. Of the distance of all of them, c too, from their mean.
Consensus consensus_with_center(int nodes, double share, int period);

}  // namespace ddl::graph

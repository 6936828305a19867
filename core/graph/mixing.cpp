#include "core/graph/mixing.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/graph/graph.hpp"

namespace ddl::graph {
namespace {

using Dense = Eigen::MatrixXd;

Dense dense(const Matrix& matrix) {
  const auto size = static_cast<Eigen::Index>(matrix.size());
  Dense result(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j) {
      result(i, j) = matrix[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    }
  }
  return result;
}

// I - 11^T / n: takes the mean out.
Dense projection(Eigen::Index nodes) {
  return Dense::Identity(nodes, nodes) - Dense::Constant(nodes, nodes, 1.0 / static_cast<double>(nodes));
}

double largest_modulus(const Dense& matrix) {
  if (matrix.size() == 0) return 0;
  if (matrix.isApprox(matrix.transpose(), 1e-14)) {
    return Eigen::SelfAdjointEigenSolver<Dense>(matrix, Eigen::EigenvaluesOnly).eigenvalues().cwiseAbs().maxCoeff();
  }
  return Eigen::EigenSolver<Dense>(matrix, false).eigenvalues().cwiseAbs().maxCoeff();
}

// One round of models x and what of them is under way, y: x' = D x + y, y' = (W - D) x, where D is the diagonal of W.
// Means are taken out of both.
Dense round_with_late_arrivals(const Dense& w) {
  const Eigen::Index n = w.rows();
  const Dense own = w.diagonal().asDiagonal(), p = projection(n);
  Dense result = Dense::Zero(2 * n, 2 * n);
  result.topLeftCorner(n, n) = own * p;
  result.topRightCorner(n, n) = p;
  result.bottomLeftCorner(n, n) = (w - own) * p;
  return result;
}

// The root of a modulus, which is zero if it is nothing but rounding.
double root(double modulus, double degree) {
  constexpr double rounding = 1e-12;
  return modulus < rounding ? 0 : std::pow(modulus, 1 / degree);
}

// Rows whose weights are one in all.
template <class Others, class Weight>
Matrix matrix_of(const Graph& graph, std::int64_t round, Others others, Weight weight) {
  const auto nodes = static_cast<std::size_t>(graph.nodes());
  Matrix matrix(nodes, std::vector<double>(nodes));
  for (int node = 0; node < graph.nodes(); ++node) {
    std::vector<double>& row = matrix[static_cast<std::size_t>(node)];
    double own = 1;
    for (const int other : others(node)) {
      row[static_cast<std::size_t>(other)] = weight(node, other);
      own -= weight(node, other);
    }
    row[static_cast<std::size_t>(node)] = graph.is_even(round) ? graph.weight(round) : std::max(0.0, own);
  }
  return matrix;
}

// Of a matrix that keeps a sum: but for the one that says so, which is 1.
double largest_modulus_but_one(const Dense& matrix) {
  const Eigen::VectorXcd values = Eigen::EigenSolver<Dense>(matrix, false).eigenvalues();
  Eigen::Index kept = 0;
  double most = 0;
  for (Eigen::Index i = 1; i < values.size(); ++i) {
    if (std::abs(values(i) - 1.0) < std::abs(values(kept) - 1.0)) kept = i;
  }
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (i != kept) most = std::max(most, std::abs(values(i)));
  }
  return most;
}

}  // namespace

Matrix mixing_matrix(const Graph& graph, std::int64_t round) {
  return matrix_of(
      graph, round, [&](int node) { return graph.sources(node, round); },
      [&](int node, int source) { return graph.weight(node, source, round); });
}

Matrix share_matrix(const Graph& graph, std::int64_t round) {
  return matrix_of(
      graph, round, [&](int node) { return graph.targets(node, round); },
      [&](int node, int target) { return graph.share(node, target, round); });
}

double second_eigenvalue(const Matrix& mixing) {
  const Dense w = dense(mixing);
  return largest_modulus(w * projection(w.rows()));
}

double Consensus::rounds_to(double share) const {
  if (factor <= 0) return period;
  if (factor >= 1) return std::numeric_limits<double>::infinity();
  return period * std::max<double>(1, std::ceil(std::log(share) / std::log(factor) / period - 1e-9));
}

Consensus consensus_of(const Graph& graph, double share, bool late) {
  const auto nodes = static_cast<Eigen::Index>(graph.nodes());
  Dense all;
  for (int round = 0; round < graph.rounds(); ++round) {
    const Dense w = (1 - share) * Dense::Identity(nodes, nodes) + share * dense(mixing_matrix(graph, round));
    const Dense one = late ? round_with_late_arrivals(w) : Dense(w * projection(nodes));
    all = round == 0 ? one : Dense(one * all);
  }
  return {.factor = root(largest_modulus(all), graph.rounds()), .period = graph.rounds()};
}

// A round of shares x and what of them is under way, y: x' = D x + y and y' = (A - D) x, where A is the transposed
// matrix and D its diagonal; or x' = A x.
Consensus consensus_of_push_sum(const Graph& graph, bool late) {
  const auto n = static_cast<Eigen::Index>(graph.nodes());
  Dense all;
  for (int round = 0; round < graph.rounds(); ++round) {
    const Dense shares = dense(share_matrix(graph, round)).transpose();
    Dense one = shares;
    if (late) {
      const Dense own = shares.diagonal().asDiagonal();
      one = Dense::Zero(2 * n, 2 * n);
      one.topLeftCorner(n, n) = own;
      one.topRightCorner(n, n) = Dense::Identity(n, n);
      one.bottomLeftCorner(n, n) = shares - own;
    }
    all = round == 0 ? one : Dense(one * all);
  }
  return {.factor = root(largest_modulus_but_one(all), graph.rounds()), .period = graph.rounds()};
}

Consensus consensus_of(int nodes, const std::vector<Exchange>& exchanges, double per_round) {
  const auto n = static_cast<Eigen::Index>(nodes);
  double all = 0;
  for (const Exchange& exchange : exchanges) all += exchange.weight;
  Dense mean_square = projection(n);
  Eigen::VectorXd drift = Eigen::VectorXd::Zero(n);  // what the moves of one side alone do to the mean
  for (const Exchange& exchange : exchanges) {
    const Eigen::Index i = exchange.first, j = exchange.second;
    const double weight = exchange.weight / all;
    // With v = e_i - e_j and P = I - 11^T / n: both sides, W = I - vv^T / 2 and W^T P W = P - vv^T / 2. One side,
    // W = I - e_i v^T / 2 and W^T P W = P - (v (P e_i)^T + (P e_i) v^T) / 2 + (1 - 1 / n) vv^T / 4.
    const double square = exchange.both_move ? -weight / 2 : weight / 4 * (1 - 1 / static_cast<double>(n));
    mean_square(i, i) += square;
    mean_square(j, j) += square;
    mean_square(i, j) -= square;
    mean_square(j, i) -= square;
    if (exchange.both_move) continue;
    mean_square(i, i) -= weight;
    mean_square(i, j) += weight / 2;
    mean_square(j, i) += weight / 2;
    drift(i) += weight / 2;
    drift(j) -= weight / 2;
  }
  const Dense shift = drift * Eigen::RowVectorXd::Constant(n, 1.0 / static_cast<double>(n));
  mean_square += shift + shift.transpose();
  return {.factor = std::pow(root(largest_modulus(mean_square), 1), per_round / 2)};
}

// A turn is I - share vv^T with v = e_i - e_c. No order of turns is special, for all nodes are alike.
Consensus consensus_with_center(int nodes, double share, int period) {
  const Eigen::Index n = nodes, center = nodes;
  Dense all = projection(n + 1);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::RowVectorXd moved = share * (all.row(i) - all.row(center));
    all.row(i) -= moved;
    all.row(center) += moved;
  }
  return {.factor = root(largest_modulus(all), period), .period = period};
}

}  // namespace ddl::graph

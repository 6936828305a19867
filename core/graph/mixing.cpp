#include "core/graph/mixing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "core/graph/graph.hpp"

namespace ddl::graph {
namespace {

// A share of a distance below it is rounding.
constexpr double negligible = 1e-12;

Matrix zeros(std::size_t size) { return Matrix(size, std::vector<double>(size)); }

Matrix identity(std::size_t size) {
  Matrix result = zeros(size);
  for (std::size_t i = 0; i < size; ++i) result[i][i] = 1;
  return result;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix result = zeros(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (a[i][k] == 0) continue;
      for (std::size_t j = 0; j < a.size(); ++j) result[i][j] += a[i][k] * b[k][j];
    }
  }
  return result;
}

Matrix transposed(const Matrix& a) {
  Matrix result = zeros(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a.size(); ++j) result[j][i] = a[i][j];
  }
  return result;
}

// A P with P = I - 11^T / n, which takes the mean of n values out before A acts on them; A may act on several such n.
// Where A keeps the sum of n, P replaces the eigenvalue 1 by 0 and leaves the others.
Matrix without_mean(Matrix a, std::size_t n) {
  for (std::vector<double>& row : a) {
    for (auto begin = row.begin(); begin != row.end(); begin += static_cast<std::ptrdiff_t>(n)) {
      const std::span<double> part(begin, n);
      const double mean = std::accumulate(part.begin(), part.end(), 0.0) / static_cast<double>(n);
      for (double& value : part) value -= mean;
    }
  }
  return a;
}

double norm(const Matrix& a) {
  double squares = 0;
  for (const std::vector<double>& row : a) {
    for (const double value : row) squares += value * value;
  }
  return std::sqrt(squares);
}

// The largest modulus of an eigenvalue, the limit of norm(A^m)^(1/m) (Gelfand, 1941), for m = 1, 2, 4, ...: each power
// is scaled to a norm of 1 and squared. Norms that stay the same will stay so. A defective matrix halves them, square
// by square; a power that vanishes leaves nothing but rounding at once.
double largest_modulus(Matrix power) {
  constexpr int most_squares = 34;  // then the root of a norm is as good as exact
  double logarithm = 0, last = 1;
  int steady = 0;  // equal norms in a row
  for (int square = 0; square < most_squares && steady < 2; ++square) {
    const double size = norm(power), share = std::ldexp(1.0, -square);
    if (!(size > negligible * last)) return 0;
    steady = square > 1 && std::abs(size - last) <= 1e-13 * size ? steady + 1 : 0;
    logarithm += (steady == 2 ? 2 : 1) * share * std::log(size);  // share + share / 2 + ... = 2 share
    last = size;
    for (std::vector<double>& row : power) {
      for (double& value : row) value /= size;
    }
    power = product(power, power);
  }
  return std::exp(logarithm);
}

// One round of x and what of it is under way, y, where W mixes: x' = D x + y, y' = (W - D) x, D is the diagonal of W.
Matrix round_with_late_arrivals(const Matrix& w) {
  const std::size_t n = w.size();
  Matrix result = zeros(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    result[i][n + i] = 1;
    for (std::size_t j = 0; j < n; ++j) result[i == j ? i : n + i][j] = w[i][j];
  }
  return result;
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

double second_eigenvalue(const Matrix& mixing) { return largest_modulus(without_mean(mixing, mixing.size())); }

double Consensus::rounds_to(double share) const {
  if (factor <= 0) return period;
  if (factor >= 1) return std::numeric_limits<double>::infinity();
  return period * std::max<double>(1, std::ceil(std::log(share) / std::log(factor) / period - 1e-9));
}

Consensus consensus_of(const Graph& graph, double share, bool late) {
  Matrix all;
  for (int round = 0; round < graph.rounds(); ++round) {
    Matrix w = mixing_matrix(graph, round);
    for (std::size_t i = 0; i < w.size(); ++i) {
      for (double& weight : w[i]) weight *= share;
      w[i][i] += 1 - share;
    }
    const Matrix one = without_mean(late ? round_with_late_arrivals(w) : w, w.size());
    all = round == 0 ? one : product(one, all);
  }
  return {.factor = std::pow(largest_modulus(std::move(all)), 1.0 / graph.rounds()), .period = graph.rounds()};
}

Consensus consensus_of_push_sum(const Graph& graph, bool late) {
  Matrix all;
  for (int round = 0; round < graph.rounds(); ++round) {
    const Matrix shares = transposed(share_matrix(graph, round));
    const Matrix one = late ? round_with_late_arrivals(shares) : shares;
    all = round == 0 ? one : product(one, all);
  }
  const std::size_t values = all.size();
  return {.factor = std::pow(largest_modulus(without_mean(std::move(all), values)), 1.0 / graph.rounds()),
          .period = graph.rounds()};
}

Consensus consensus_of(int nodes, const std::vector<Exchange>& exchanges, double per_round) {
  const auto n = static_cast<std::size_t>(nodes);
  double all = 0;
  for (const Exchange& exchange : exchanges) all += exchange.weight;
  Matrix mean_square = without_mean(identity(n), n);
  std::vector<double> drift(n);  // the mean's, by one-sided moves
  for (const Exchange& exchange : exchanges) {
    const auto i = static_cast<std::size_t>(exchange.first), j = static_cast<std::size_t>(exchange.second);
    const double weight = exchange.weight / all;
    // With v = e_i - e_j and P = I - 11^T / n: both sides, W = I - vv^T / 2 and W^T P W = P - vv^T / 2. One side,
    // W = I - e_i v^T / 2 and W^T P W = P - (v (P e_i)^T + (P e_i) v^T) / 2 + (1 - 1 / n) vv^T / 4.
    const double square = exchange.both_move ? -weight / 2 : weight / 4 * (1 - 1 / static_cast<double>(n));
    mean_square[i][i] += square;
    mean_square[j][j] += square;
    mean_square[i][j] -= square;
    mean_square[j][i] -= square;
    if (exchange.both_move) continue;
    mean_square[i][i] -= weight;
    mean_square[i][j] += weight / 2;
    mean_square[j][i] += weight / 2;
    drift[i] += weight / 2;
    drift[j] -= weight / 2;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) mean_square[i][j] += (drift[i] + drift[j]) / static_cast<double>(n);
  }
  return {.factor = std::pow(largest_modulus(std::move(mean_square)), per_round / 2)};
}

// A turn is I - share vv^T with v = e_i - e_c. No order of turns is special, for all nodes are alike.
Consensus consensus_with_center(int nodes, double share, int period) {
  const auto center = static_cast<std::size_t>(nodes), values = center + 1;
  Matrix all = without_mean(identity(values), values);
  for (std::size_t i = 0; i < center; ++i) {
    for (std::size_t j = 0; j < values; ++j) {
      const double moved = share * (all[i][j] - all[center][j]);
      all[i][j] -= moved;
      all[center][j] += moved;
    }
  }
  return {.factor = std::pow(largest_modulus(std::move(all)), 1.0 / period), .period = period};
}

}  // namespace ddl::graph

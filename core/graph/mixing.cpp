#include "core/graph/mixing.hpp"

#include <cmath>

namespace ddl::graph {
namespace {

void remove_mean(std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (double& value : values) value -= mean;
}

double norm(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares);
}

}  // namespace

Matrix mixing_matrix(const Graph& graph, std::int64_t round) {
  const auto nodes = static_cast<std::size_t>(graph.nodes());
  Matrix matrix(nodes, std::vector<double>(nodes));
  for (std::size_t i = 0; i < nodes; ++i) {
    matrix[i][i] = graph.weight(round);
    for (const int source : graph.sources(static_cast<int>(i), round)) {
      matrix[i][static_cast<std::size_t>(source)] = graph.weight(round);
    }
  }
  return matrix;
}

double second_eigenvalue(const Matrix& mixing) {
  const std::size_t nodes = mixing.size();
  std::vector<double> x(nodes), y(nodes);
  Stream random = stream(1, "mixing", "start of the power iteration");
  for (double& value : x) value = random.normal();
  double found = 0;
  for (int turn = 0; turn < 10000; ++turn) {
    remove_mean(x);
    const double length = norm(x);
    if (length < 1e-150) return 0;
    for (double& value : x) value /= length;
    for (std::size_t i = 0; i < nodes; ++i) {  // y = W x, then x = W^T y
      y[i] = 0;
      for (std::size_t j = 0; j < nodes; ++j) y[i] += mixing[i][j] * x[j];
    }
    const double before = found;
    found = norm(y);
    if (std::fabs(found - before) < 1e-14) break;
    for (std::size_t j = 0; j < nodes; ++j) {
      x[j] = 0;
      for (std::size_t i = 0; i < nodes; ++i) x[j] += mixing[i][j] * y[i];
    }
  }
  return found;
}

}  // namespace ddl::graph

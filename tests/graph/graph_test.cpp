// Graphs and their mixing matrices against the literature.
#include "core/graph/graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <set>

#include "core/graph/mixing.hpp"
#include "core/graph/pairs.hpp"

namespace ddl::graph::graph_test {

namespace {

Graph graph_of(GraphKind kind, int nodes, std::optional<int> degree = {}, std::uint64_t seed = 1) {
  return Graph(kind, nodes, degree, stream(seed, "test", "graph"));
}

bool reaches_all(const Graph& graph) {
  std::set<int> reached{0};
  for (int turn = 0; turn < graph.nodes(); ++turn) {
    for (const int node : std::set<int>(reached)) {
      for (int round = 0; round < graph.rounds(); ++round) {
        for (const int next : graph.targets(node, round)) reached.insert(next);
      }
    }
  }
  return static_cast<int>(reached.size()) == graph.nodes();
}

}  // namespace

TEST_CASE(
    "graphs of equal nodes are regular and strongly connected, sources mirror targets, and W is doubly stochastic") {
  for (const auto& kind : enum_names(GraphKind{})) {
    if (!is_regular(kind.value)) continue;
    for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17}) {
      CAPTURE(kind.name);
      CAPTURE(n);
      const bool drawn = kind.value == GraphKind::random_regular;
      const std::optional<int> degree = drawn ? std::optional(std::min(n - 1, n % 2 == 0 ? 3 : 4)) : std::nullopt;
      if (drawn && !degree_error(kind.value, degree, n).empty()) continue;
      const Graph g = graph_of(kind.value, n, degree);
      CHECK(reaches_all(g));
      for (int round = 0; round < g.rounds(); ++round) {
        const Matrix w = mixing_matrix(g, round);
        for (int i = 0; i < n; ++i) {
          const auto targets = g.targets(i, round);
          CHECK(static_cast<int>(targets.size()) == g.degree(round));
          CHECK(std::ranges::is_sorted(targets));
          CHECK(std::ranges::find(targets, i) == targets.end());
          double row = 0, column = 0;
          for (int j = 0; j < n; ++j) {
            const auto sources = g.sources(j, round);
            CHECK((std::ranges::find(targets, j) != targets.end()) == (std::ranges::find(sources, i) != sources.end()));
            row += w[i][j];
            column += w[j][i];
            if (is_undirected(kind.value)) CHECK(w[i][j] == w[j][i]);
          }
          CHECK(row == doctest::Approx(1));
          CHECK(column == doctest::Approx(1));
        }
      }
    }
  }
}

TEST_CASE("the second eigenvalue: ring 1/3 + 2/3 cos(2 pi / n), complete graph 0, directed ring cos(pi / n)") {
  for (const int n : {4, 8, 16}) {
    const double turn = 2 * std::numbers::pi / n;
    CHECK(second_eigenvalue(mixing_matrix(graph_of(GraphKind::ring, n), 0)) ==
          doctest::Approx(1.0 / 3 + 2.0 / 3 * std::cos(turn)).epsilon(1e-6));
    CHECK(second_eigenvalue(mixing_matrix(graph_of(GraphKind::complete, n), 0)) < 1e-12);
    // |1 + e^(i turn)| / 2
    CHECK(second_eigenvalue(mixing_matrix(graph_of(GraphKind::directed_ring, n), 0)) ==
          doctest::Approx(std::cos(turn / 2)).epsilon(1e-6));
  }
}

TEST_CASE("the exponential graph's second eigenvalue is 1 - 2 / (1 + ceil(log2 n)) for even n (Ying et al., 2021)") {
  for (const int n : {4, 6, 8, 10, 16, 32}) {
    CHECK(second_eigenvalue(mixing_matrix(graph_of(GraphKind::exponential, n), 0)) ==
          doctest::Approx(1 - 2 / (1 + std::ceil(std::log2(n)))).epsilon(1e-6));
  }
}

TEST_CASE("a torus of 4 by 4 has the eigenvalue (1 + 2 + 2 cos(pi/2)) / 5, and a prime number of nodes is a ring") {
  CHECK(second_eigenvalue(mixing_matrix(graph_of(GraphKind::torus, 16), 0)) == doctest::Approx(0.6).epsilon(1e-6));
  CHECK(graph_of(GraphKind::torus, 7).targets(3, 0) == graph_of(GraphKind::ring, 7).targets(3, 0));
  CHECK(graph_of(GraphKind::torus, 12).targets(0, 0) == std::vector<int>{1, 3, 4, 8});  // 3 rows of 4
}

TEST_CASE("one-peer exponential: distances 1, 2, 4, then from the start") {
  const Graph g = graph_of(GraphKind::one_peer_exponential, 8);
  CHECK(g.rounds() == 3);
  for (const int round : {0, 1, 2, 3, 4}) CHECK(g.targets(5, round) == std::vector{(5 + (1 << round % 3)) % 8});
}

TEST_CASE("a random regular graph depends on the seed only, and differs from seed to seed") {
  const auto all = [](std::uint64_t seed) {
    const Graph g = graph_of(GraphKind::random_regular, 20, 3, seed);
    std::vector<std::vector<int>> targets;
    for (int node = 0; node < 20; ++node) targets.push_back(g.targets(node, 0));
    return targets;
  };
  CHECK(all(1) == all(1));
  CHECK(all(1) != all(2));
}

TEST_CASE("the second eigenvalue of any doubly stochastic matrix is found, normal or drawn") {
  // Petersen's graph (3-regular; its adjacency has the eigenvalues 3, 1, -2): (1 - 2) / 4 and (1 + 1) / 4.
  const std::vector<std::pair<int, int>> petersen = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}, {0, 5}, {1, 6}, {2, 7},
                                                     {3, 8}, {4, 9}, {5, 7}, {7, 9}, {9, 6}, {6, 8}, {8, 5}};
  Matrix w(10, std::vector<double>(10));
  for (int i = 0; i < 10; ++i) w[i][i] = 0.25;
  for (const auto& [a, b] : petersen) w[a][b] = w[b][a] = 0.25;
  CHECK(second_eigenvalue(w) == doctest::Approx(0.5).epsilon(1e-12));
  CHECK(second_eigenvalue({{1}}) == doctest::Approx(0));
  CHECK(second_eigenvalue({{0, 1}, {1, 0}}) == doctest::Approx(1));
  CHECK(second_eigenvalue({{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}) == doctest::Approx(1));  // turns for ever
}

TEST_CASE("consensus: of fixed graphs by the second eigenvalue, of a changing one by its period") {
  const Consensus ring = consensus_of(graph_of(GraphKind::ring, 8));
  CHECK(ring.factor == doctest::Approx(1.0 / 3 + 2.0 / 3 * std::cos(std::numbers::pi / 4)).epsilon(1e-12));
  CHECK(ring.spectral_gap() == doctest::Approx(1 - ring.factor));
  CHECK(ring.rounds_to(1e-3) == std::ceil(std::log(1e-3) / std::log(ring.factor)));
  CHECK(consensus_of(graph_of(GraphKind::complete, 8)).rounds_to(1e-3) == 1);
  const Consensus exact = consensus_of(graph_of(GraphKind::one_peer_exponential, 8));
  CHECK(exact.factor == 0);  // the mean of 8 in 3 rounds (Assran et al., 2019)
  CHECK(exact.rounds_to(1e-3) == 3);
  // n = 6: eigenvector k shrinks by |1 + w^k| |1 + w^2k| |1 + w^4k| / 8 in three rounds, w = e^(2 pi i / 6). The
  // largest is k = 1: cos(pi / 6) cos(pi / 3) cos(pi / 3).
  const double most = std::cbrt(std::cos(std::numbers::pi / 6) / 4);
  CHECK(consensus_of(graph_of(GraphKind::one_peer_exponential, 6)).factor == doctest::Approx(most).epsilon(1e-9));
  // A share of the way: 1 - share (1 - l).
  CHECK(consensus_of(graph_of(GraphKind::ring, 8), 0.1).factor ==
        doctest::Approx(1 - 0.1 * ring.spectral_gap()).epsilon(1e-12));
}

TEST_CASE("consensus where norms of powers say little: they stand still for a while, or shrink for ever") {
  // W of a ring of four with 3 / 4 of the way to the mean has the eigenvalues w = 1, 1/2, 1/2, 0 and the diagonal 1 /
  // 2, so a round late l^2 = l / 2 + w - 1 / 2: the largest but 1 is of w = 0.
  CHECK(consensus_of(graph_of(GraphKind::ring, 4), 0.75, true).factor == doctest::Approx(std::sqrt(0.5)).epsilon(1e-9));
}

TEST_CASE("consensus a round late: l^2 = l / 2 + w / 2 with w^6 = 1 on a directed ring of six") {
  double slowest = 0;
  for (int k = 1; k < 6; ++k) {
    const std::complex<double> w = std::polar(1.0, 2 * std::numbers::pi * k / 6);
    const std::complex<double> root = std::sqrt(0.25 + 2.0 * w);
    slowest = std::max({slowest, std::abs((0.5 + root) / 2.0), std::abs((0.5 - root) / 2.0)});
  }
  CHECK(consensus_of(graph_of(GraphKind::directed_ring, 6), 1, true).factor == doctest::Approx(slowest).epsilon(1e-9));
  CHECK(slowest == doctest::Approx(0.96).epsilon(0.01));
}

TEST_CASE("consensus of random exchanges: 1 - 1 / (n - 1) in pairs, 1 - (n + 1) / (2 n (n - 1)) of one side, a time") {
  for (const int n : {2, 3, 8, 50}) {
    CAPTURE(n);
    std::vector<Exchange> pairs, pulls;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        if (i == j) continue;
        pairs.push_back({i, j, true, 3});
        pulls.push_back({i, j, false, 0.1});
      }
    }
    const double of_pairs = 1 - 1 / (n - 1.0), of_pulls = 1 - (n + 1) / (2.0 * n * (n - 1));
    CHECK(consensus_of(n, pairs, 2).factor == doctest::Approx(of_pairs).epsilon(1e-9));
    CHECK(consensus_of(n, pulls, n).factor == doctest::Approx(std::pow(of_pulls, n / 2.0)).epsilon(1e-9));
  }
}

TEST_CASE(
    "consensus of exchanges along edges is that of Boyd et al.'s expected matrix, and infinite if one is cut off") {
  // A path of three: E[W] = I - (vv^T + uu^T) / 4 with v = (1, -1, 0), u = (0, 1, -1), whose vv^T + uu^T is the path's
  // Laplacian with eigenvalues 0, 1, 3.
  CHECK(consensus_of(3, {{0, 1, true, 1}, {1, 2, true, 1}}, 2).factor == doctest::Approx(0.75).epsilon(1e-12));
  const Consensus apart = consensus_of(3, {{0, 1, true, 1}}, 2);
  CHECK(apart.factor == doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("consensus with a center: of two nodes by the trace and determinant of their differences from it") {
  // A turn of the first makes d1 = x1 - c and d2 = x2 - c into (1 - 2a) d1 and d2 - a d1, one of the second likewise:
  // d1'' = (1 - a)^2 d1 - a d2, d2'' = (1 - 2a) (d2 - a d1), with the trace t = (1 - a)^2 + 1 - 2a and, a turn's
  // being 1 - 2a, the determinant (1 - 2a)^2.
  for (const double a : {0.225, 0.4, 0.5}) {
    CAPTURE(a);
    const double trace = (1 - a) * (1 - a) + 1 - 2 * a, determinant = (1 - 2 * a) * (1 - 2 * a);
    const double square = trace * trace / 4 - determinant;
    const double most = square < 0 ? std::sqrt(determinant) : trace / 2 + std::sqrt(square);
    CHECK(consensus_with_center(2, a, 1).factor == doctest::Approx(most).epsilon(1e-9));
    CHECK(consensus_with_center(2, a, 10).factor == doctest::Approx(std::pow(most, 0.1)).epsilon(1e-9));
  }
  // At 1 a turn swaps the two, and nothing comes together.
  CHECK(consensus_with_center(3, 1, 1).factor == doctest::Approx(1).epsilon(1e-9));
}

TEST_CASE("consensus with a center is what turns one after the other leave in the end") {
  const int nodes = 5;
  const double share = 0.9 / nodes;
  std::vector<double> models = {3, -1, 4, 1, -5, 9};  // the last is the center's
  const double mean = 11.0 / 6;
  const auto distance = [&] {
    double sum = 0;
    for (const double model : models) sum += (model - mean) * (model - mean);
    return std::sqrt(sum);
  };
  const auto rounds = [&](int count) {
    for (int turn = 0; turn < count * nodes; ++turn) {
      double& own = models[static_cast<std::size_t>(turn % nodes)];
      const double moved = share * (own - models.back());
      own -= moved;
      models.back() += moved;
    }
  };
  rounds(40);
  const double before = distance();
  rounds(10);
  CHECK(consensus_with_center(nodes, share, 1).factor ==
        doctest::Approx(std::pow(distance() / before, 0.1)).epsilon(1e-3));
}

TEST_CASE("impossible degrees are complained of") {
  CHECK(degree_error(GraphKind::random_regular, 4, 8).empty());
  CHECK(degree_error(GraphKind::random_regular, 1, 2).empty());
  CHECK(degree_error(GraphKind::ring, {}, 8).empty());
  CHECK_FALSE(degree_error(GraphKind::random_regular, {}, 8).empty());
  CHECK_FALSE(degree_error(GraphKind::random_regular, 8, 8).empty());
  CHECK_FALSE(degree_error(GraphKind::random_regular, 3, 7).empty());
  CHECK_FALSE(degree_error(GraphKind::random_regular, 1, 4).empty());
  CHECK_FALSE(degree_error(GraphKind::ring, 2, 8).empty());
}

TEST_CASE("pairs join active with passive nodes only, mutually, and no node of two or more is left out") {
  for (const auto& kind : enum_names(PairGraph{})) {
    for (const int n : {1, 2, 3, 4, 5, 7, 8, 16, 17}) {
      CAPTURE(kind.name);
      CAPTURE(n);
      const Pairs pairs(kind.value, n, {});
      for (int node = 0; node < n; ++node) {
        const auto others = pairs.partners(node);
        CHECK(others.empty() == (n == 1));
        for (const int other : others) {
          CHECK(pairs.is_active(node) != pairs.is_active(other));
          const auto back = pairs.partners(other);
          CHECK(std::ranges::find(back, node) != back.end());
        }
      }
    }
  }
  const auto partners = [](PairGraph graph, int n, int node) { return Pairs(graph, n, {}).partners(node); };
  CHECK(partners(PairGraph::ring, 8, 3) == std::vector{2, 4});
  CHECK(partners(PairGraph::ring, 5, 4) == std::vector{3});                                  // 4 and 0 are both passive
  CHECK(partners(PairGraph::exponential, 16, 1) == std::vector{0, 2, 4, 6, 8, 10, 12, 14});  // +-1, 3, 5, 9
  CHECK(partners(PairGraph::complete, 7, 3) == std::vector{0, 2, 4, 6});
}

}  // namespace ddl::graph::graph_test

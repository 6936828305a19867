// Graphs with nodes that differ, and graphs of a user's own: their weights and refusals.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "core/base/check.hpp"
#include "core/graph/graph.hpp"
#include "core/graph/mixing.hpp"
#include "core/graph/neighbours.hpp"
#include "core/graph/pairs.hpp"

namespace ddl::graph::own_graph_test {

namespace {

using Names = std::vector<std::string>;

Names names_of(int nodes) {
  Names names;
  for (int node = 0; node < nodes; ++node) names.push_back("w" + std::to_string(node));
  return names;
}

GraphObject typed(GraphKind kind) {
  GraphObject object;
  object.type = kind;
  return object;
}

GraphObject pairs(Edges::Pairs edges, bool directed = false) {
  GraphObject object;
  object.edges = Edges{std::move(edges)};
  object.directed = directed;
  return object;
}

GraphObject weighted(std::vector<Edge> edges, bool directed = false) {
  GraphObject object;
  object.edges = Edges{std::move(edges)};
  object.directed = directed;
  return object;
}

Topology topology_of(GraphObject object) {
  Topology topology;
  topology.is = std::move(object);
  return topology;
}

Topology in_turn(std::vector<GraphObject> objects) {
  std::vector<OneGraph> graphs;
  for (GraphObject& object : objects) graphs.push_back({std::move(object)});
  Topology topology;
  topology.is = std::move(graphs);
  return topology;
}

Graph graph_of(const Topology& topology, int nodes, std::uint64_t seed = 1) {
  return Graph(topology, std::nullopt, nodes, names_of(nodes), stream(seed, "test", "graph"));
}

Neighbours neighbours_in(const Graph& graph) {
  Neighbours neighbours;
  for (int node = 0; node < graph.nodes(); ++node) neighbours.push_back(graph.targets(node, 0));
  return neighbours;
}

// "KEY: WHAT" of each error.
Names complaints(const Topology& topology, int nodes, const GraphNeeds& needs = {}, std::optional<int> degree = {}) {
  Names lines;
  for (const GraphError& error : errors_in(topology, degree, nodes, names_of(nodes), needs)) {
    lines.push_back(error.key + ": " + error.what);
  }
  return lines;
}

}  // namespace

TEST_CASE("graphs that are not regular are connected, and Metropolis' weights make W symmetric and doubly stochastic") {
  for (const auto& kind : enum_names(GraphKind{})) {
    if (is_regular(kind.value)) continue;
    for (const int n : {1, 2, 3, 4, 5, 7, 9, 12, 17}) {
      CAPTURE(kind.name);
      CAPTURE(n);
      const Graph g = graph_of(Topology(kind.value), n);
      CHECK(g.rounds() == 1);
      const Neighbours neighbours = neighbours_in(g);
      CHECK(is_connected(neighbours));
      const Matrix w = mixing_matrix(g, 0), shares = share_matrix(g, 0);
      for (int i = 0; i < n; ++i) {
        CHECK(std::ranges::is_sorted(neighbours[i]));
        CHECK(g.sources(i, 0) == neighbours[i]);
        double row = 0, given = 0;
        for (int j = 0; j < n; ++j) {
          const bool joined = std::ranges::find(neighbours[i], j) != neighbours[i].end();
          CHECK(w[i][j] == doctest::Approx(w[j][i]).epsilon(1e-15));
          CHECK(w[i][j] >= 0);
          if (i != j) CHECK((w[i][j] > 0) == joined);
          if (i != j && joined) {
            CHECK(w[i][j] == doctest::Approx(1.0 / (1 + static_cast<double>(
                                                            std::max(neighbours[i].size(), neighbours[j].size())))));
          }
          row += w[i][j];
          given += shares[i][j];
        }
        CHECK(row == doctest::Approx(1));
        CHECK(given == doctest::Approx(1));
      }
    }
  }
}

TEST_CASE("a line is I - L / 3, a star shrinks by 1 - 1 / n, and a grid of 2 by 2 is a ring") {
  for (const int n : {3, 5, 8}) {
    CHECK(second_eigenvalue(mixing_matrix(graph_of(Topology(GraphKind::line), n), 0)) ==
          doctest::Approx(1.0 / 3 + 2.0 / 3 * std::cos(std::numbers::pi / n)).epsilon(1e-9));
    // Weights 1 / n: leaves differ by 1 - 1 / n; the trace 1 / n + (n - 1)(1 - 1 / n) leaves 0 for the last.
    CHECK(second_eigenvalue(mixing_matrix(graph_of(Topology(GraphKind::star), n), 0)) ==
          doctest::Approx(1 - 1.0 / n).epsilon(1e-9));
  }
  CHECK(neighbours_in(graph_of(Topology(GraphKind::grid), 4)) == Neighbours{{1, 2}, {0, 3}, {0, 3}, {1, 2}});
  CHECK(neighbours_in(graph_of(Topology(GraphKind::grid), 6)) ==
        Neighbours{{1, 3}, {0, 2, 4}, {1, 5}, {0, 4}, {1, 3, 5}, {2, 4}});  // 2 rows of 3
}

TEST_CASE("a hierarchy is complete graphs, whose first nodes are one, too") {
  GraphObject object = typed(GraphKind::hierarchical);
  object.group = 3;
  CHECK(neighbours_in(graph_of(topology_of(object), 7)) ==
        Neighbours{{1, 2, 3, 6}, {0, 2}, {0, 1}, {0, 4, 5, 6}, {3, 5}, {3, 4}, {0, 3}});
  CHECK(neighbours_in(graph_of(Topology(GraphKind::hierarchical), 4)) ==  // groups of 2
        Neighbours{{1, 2}, {0}, {0, 3}, {2}});
}

TEST_CASE("a small world is a ring where no edge moves, keeps its edges' number, and depends on the seed") {
  GraphObject object = typed(GraphKind::small_world);
  object.degree = 4;
  object.probability = 0;
  const Neighbours ring = neighbours_in(graph_of(topology_of(object), 9));
  CHECK(ring[0] == std::vector<int>{1, 2, 7, 8});
  object.probability = 0.5;
  const auto count = [](const Neighbours& neighbours) {
    std::size_t ends = 0;
    for (const auto& list : neighbours) ends += list.size();
    return ends;
  };
  double moved = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Neighbours drawn = neighbours_in(graph_of(topology_of(object), 30, seed));
    CHECK(count(drawn) == 30 * 4);
    for (int node = 0; node < 30; ++node) {
      for (const int other : drawn[static_cast<std::size_t>(node)]) {
        const int apart = (other - node + 30) % 30;
        if (apart > 2 && apart < 28) moved += 0.5;
      }
    }
  }
  // Each of 60 edges moves with probability 1/2, to a place outside the 4 near ones with probability 25/26: 28.8 on
  // average in a hundred graphs, with a deviation of 0.4.
  CHECK(moved / 100 == doctest::Approx(60 * 0.5 * 25 / 26).epsilon(0.05));
  CHECK(neighbours_in(graph_of(topology_of(object), 30, 1)) == neighbours_in(graph_of(topology_of(object), 30, 1)));
  CHECK(neighbours_in(graph_of(topology_of(object), 30, 1)) != neighbours_in(graph_of(topology_of(object), 30, 2)));
  CHECK(graph_of(topology_of(object), 30).is_drawn());
  CHECK_FALSE(graph_of(Topology(GraphKind::star), 30).is_drawn());
}

TEST_CASE("an Erdos-Renyi graph has each edge with its probability, and is refused where it never is connected") {
  GraphObject object = typed(GraphKind::erdos_renyi);
  object.probability = 1;
  CHECK(second_eigenvalue(mixing_matrix(graph_of(topology_of(object), 6), 0)) < 1e-12);
  object.probability = 0.4;  // with 20 nodes: unconnected once in 800 draws
  double edges = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    for (const auto& list : neighbours_in(graph_of(topology_of(object), 20, seed)))
      edges += 0.5 * static_cast<double>(list.size());
  }
  // 190 pairs: 76 on average, in a hundred graphs with a deviation of 0.7.
  CHECK(edges / 100 == doctest::Approx(76).epsilon(0.03));
  object.probability = 0.001;
  CHECK_THROWS_WITH_AS(graph_of(topology_of(object), 20),
                       "$.algorithm.topology: \"erdos_renyi\" was drawn 1,000 times and never connected; expected a "
                       "larger probability",
                       InputError);
}

TEST_CASE("a graph of one's own has its edges both ways, Metropolis' weights or its own, and the rest at each node") {
  const Graph path = graph_of(topology_of(pairs({{"w2", "w0"}, {"w0", "w1"}})), 3);
  CHECK(neighbours_in(path) == Neighbours{{1, 2}, {0}, {0}});
  CHECK(mixing_matrix(path, 0)[1][0] == doctest::Approx(1.0 / 3));
  CHECK(mixing_matrix(path, 0)[1][1] == doctest::Approx(2.0 / 3));
  CHECK(mixing_matrix(path, 0)[0][0] == doctest::Approx(1.0 / 3));
  const Graph own = graph_of(topology_of(weighted({{"w0", "w1", 0.5}, {"w2", "w0", 0.25}})), 3);
  const Matrix w = mixing_matrix(own, 0);
  CHECK(w == Matrix{{0.25, 0.5, 0.25}, {0.5, 0.5, 0}, {0.25, 0, 0.75}});
  CHECK(second_eigenvalue({{0.25, 0.5, 0.25}, {0.5, 0.5, 0}, {0.25, 0, 0.75}}) ==
        doctest::Approx(consensus_of(own).factor).epsilon(1e-12));
  // A ring by hand is the ring, with the same weights to the bit.
  const Graph ring = graph_of(topology_of(pairs({{"w0", "w1"}, {"w1", "w2"}, {"w2", "w3"}, {"w3", "w0"}})), 4);
  CHECK(ring.is_even(0));
  CHECK(mixing_matrix(ring, 0) == mixing_matrix(graph_of(Topology(GraphKind::ring), 4), 0));
}

TEST_CASE("graphs in turn: each round has its own, and together they bring all to the mean") {
  // Pairs of four nodes, then the other pairs: the mean of all after two rounds, as with weights of 1/2.
  const Topology topology =
      in_turn({weighted({{"w0", "w1", 0.5}, {"w2", "w3", 0.5}}), weighted({{"w0", "w2", 0.5}, {"w1", "w3", 0.5}})});
  CHECK(complaints(topology, 4).empty());
  const Graph g = graph_of(topology, 4);
  CHECK(g.rounds() == 2);
  CHECK(g.targets(0, 4) == std::vector<int>{1});
  CHECK(g.targets(0, 5) == std::vector<int>{2});
  CHECK(consensus_of(g).factor == 0);
  CHECK(consensus_of(g).period == 2);
  CHECK(graph_of(in_turn({typed(GraphKind::ring), typed(GraphKind::star)}), 5).targets(0, 1).size() == 4);
}

TEST_CASE("push-sum on arcs that go one way: shares of each node, and the second eigenvalue of their matrix") {
  const Topology topology = topology_of(pairs({{"w0", "w1"}, {"w1", "w2"}, {"w2", "w0"}, {"w0", "w2"}}, true));
  CHECK(complaints(topology, 3, {.pushes = true}).empty());
  const Graph g = graph_of(topology, 3);
  CHECK(g.targets(0, 0) == std::vector<int>{1, 2});
  CHECK(g.sources(2, 0) == std::vector<int>{0, 1});
  CHECK_FALSE(g.is_even(0));
  const double third = 1.0 / 3;
  CHECK(share_matrix(g, 0)[0][1] == doctest::Approx(third));
  CHECK(share_matrix(g, 0)[1] == std::vector<double>{0, 0.5, 0.5});
  // Trace 4/3 and determinant 1/12: the others are a complex pair with the product 1/12.
  CHECK(consensus_of_push_sum(g, false).factor == doctest::Approx(std::sqrt(1.0 / 12)).epsilon(1e-9));
  // Defective: the matrix has 1 / 3 as a double eigenvalue with one eigenvector.
  const Topology defective = topology_of(pairs({{"w0", "w1"},
                                                {"w0", "w4"},
                                                {"w1", "w2"},
                                                {"w2", "w0"},
                                                {"w2", "w3"},
                                                {"w3", "w2"},
                                                {"w3", "w4"},
                                                {"w4", "w0"},
                                                {"w4", "w3"}},
                                               true));
  CHECK(consensus_of_push_sum(graph_of(defective, 5), false).factor == doctest::Approx(1.0 / 3).epsilon(1e-6));
  // On a regular graph it equals that of averaging, late or not.
  const Graph ring = graph_of(Topology(GraphKind::directed_ring), 6);
  CHECK(consensus_of_push_sum(ring, false).factor == doctest::Approx(consensus_of(ring).factor).epsilon(1e-9));
  CHECK(consensus_of_push_sum(ring, true).factor == doctest::Approx(consensus_of(ring, 1, true).factor).epsilon(1e-9));
}

TEST_CASE("an error in a graph of one's own is reported with its place") {
  const GraphNeeds sgp{.pushes = true}, plain{.weights = false},
      choco{.undirected = "neighbours must know each other's copies"};
  const auto says = [](const Names& lines, const std::string& expected) {
    CHECK_MESSAGE(lines == Names{expected}, (lines.empty() ? std::string("nothing") : lines.front()));
  };
  const Edges::Pairs line = {{"w0", "w1"}, {"w1", "w2"}};
  CHECK(complaints(topology_of(pairs(line)), 3).empty());
  says(complaints(topology_of(pairs({{"w0", "w9"}})), 3),
       "topology.edges[0]: \"w9\" is no worker; expected the name of a worker's host");
  says(complaints(topology_of(pairs({{"w0", "w1"}, {"w1", "w1"}})), 2),
       "topology.edges[1]: joins \"w1\" with itself; expected two hosts");
  says(complaints(topology_of(pairs({{"w0", "w1"}, {"w1", "w0"}})), 2),
       "topology.edges[1]: \"w1\" and \"w0\" are joined before; expected each edge once");
  CHECK(complaints(topology_of(pairs({{"w0", "w1"}, {"w1", "w0"}}, true)), 2, sgp).empty());
  says(complaints(topology_of(weighted({{"w0", "w1", 0.5}, {"w1", "w0", 0.25}})), 2),
       "topology.edges[1]: \"w1\" and \"w0\" are joined before, with another weight; expected one, for it holds both "
       "ways");
  says(complaints(topology_of(weighted({{"w0", "w1", 0.5}, {"w1", "w2", {}}})), 3),
       "topology.edges[1]: has no weight, unlike the first; expected one at each edge, or at none");
  says(complaints(topology_of(weighted({{"w0", "w1", 0.75}, {"w1", "w2", 0.5}})), 3),
       "topology.edges: give 1.250000 away at \"w1\"; expected at most 1, for the rest is its own");
  says(complaints(topology_of(weighted({{"w0", "w1", 1}, {"w1", "w0", 0.5}}, true)), 2, sgp),
       "topology.edges: give 1.000000 away at \"w0\"; expected less than 1, for the rest is its own");
  says(complaints(topology_of(weighted({{"w0", "w1", 0.5}})), 2, plain),
       "topology.edges[0]: has a weight, which means nothing here; expected none");
  says(complaints(topology_of(pairs({{"w0", "w1", "w2"}})), 3), "topology.edges[0]: is no pair; expected two hosts");
  says(complaints(topology_of(pairs({{"w0", "w1"}})), 3),
       "topology: leaves \"w2\" apart from \"w0\"; expected edges that join all workers");
  says(complaints(topology_of(pairs(line, true)), 3, sgp),
       "topology: leaves \"w1\" apart from \"w0\"; expected edges that join all workers");  // no way back
  says(complaints(topology_of(pairs(line, true)), 3),
       "topology.directed: true, but models are averaged both ways; expected false, or algorithm \"sgp\"");
  says(complaints(in_turn({pairs({{"w0", "w1"}}), pairs({{"w0", "w1"}})}), 3),
       "topology: leaves \"w2\" apart from \"w0\"; expected edges that join all workers, over all rounds");
  CHECK(complaints(in_turn({pairs({{"w0", "w1"}}), pairs({{"w2", "w1"}})}), 3).empty());
  says(complaints(in_turn({typed(GraphKind::ring)}), 3, choco),
       "topology: a list is directed or changes, and neighbours must know each other's copies; expected an undirected "
       "graph such as \"ring\"");
  says(complaints(in_turn({typed(GraphKind::ring), typed(GraphKind::one_peer_exponential)}), 3),
       "topology[1]: changes from round to round by itself; expected it without a list");
  says(complaints(topology_of({}), 3), "topology: has neither \"type\" and \"edges\"; expected one");
  GraphObject object = typed(GraphKind::small_world);
  object.degree = 3;
  says(complaints(topology_of(object), 6),
       "topology.degree: 3 neighbours for each of 6 workers on a ring are not as many on both sides; expected an even "
       "degree");
  says(complaints(topology_of(typed(GraphKind::ring)), 6, {}, 2),
       "degree: is given beside a topology that has its own; expected no such key");
}

TEST_CASE("pairs of one's own graph: those an odd number of edges from the first are active, where circles are even") {
  PairTopology topology;
  topology.is = typed(GraphKind::star);
  CHECK(errors_in(topology, 4, names_of(4)).empty());
  const Pairs star(topology, 4, names_of(4));
  CHECK_FALSE(star.is_active(0));
  for (int leaf = 1; leaf < 4; ++leaf) {
    CHECK(star.is_active(leaf));
    CHECK(star.partners(leaf) == std::vector<int>{0});
  }
  topology.is = pairs({{"w0", "w1"}, {"w1", "w2"}, {"w2", "w0"}});
  const auto odd = errors_in(topology, 3, names_of(3));
  REQUIRE(odd.size() == 1);
  CHECK(odd[0].what.starts_with("has a circle of an odd number of workers"));
  topology.is = typed(GraphKind::small_world);
  CHECK(errors_in(topology, 4, names_of(4)).size() == 1);
}

}  // namespace ddl::graph::own_graph_test

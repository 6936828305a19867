// Systems on graphs whose nodes differ, against their papers' recursions: each worker's first gradient puts its model
// somewhere else, the others are zero, so that averaging is left alone.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/graph/mixing.hpp"
#include "core/graph/shared_graphs.hpp"
#include "core/systems/neighbours/ad_psgd.hpp"
#include "core/systems/neighbours/choco.hpp"
#include "core/systems/neighbours/d_psgd.hpp"
#include "core/systems/neighbours/gossip.hpp"
#include "core/systems/neighbours/sgp.hpp"
#include "tests/support/local_cluster.hpp"

namespace ddl::systems::own_graph_test {

namespace {

using Values = std::vector<double>;

constexpr int workers = 6;
constexpr std::uint64_t seed = 5;

Cluster six_workers() {
  Cluster cluster;
  cluster.workers = workers;
  cluster.parameters = 1;
  cluster.seed = seed;
  for (int worker = 0; worker < workers; ++worker) {
    cluster.worker_names.push_back("w" + std::to_string(worker));
    cluster.compute_s.push_back(1 + 0.25 * worker);
  }
  return cluster;
}

double start_of(int worker) { return worker * worker - 7; }
const double mean = (0 + 1 + 4 + 9 + 16 + 25) / 6.0 - 7;

// The workers' models after `steps` steps; the first step takes them apart.
Values after(const System& system, std::int64_t steps) {
  LocalCluster cluster(
      {.cluster = six_workers(), .steps = steps, .gradient = [](const Node& node, std::span<const float>) {
         return std::vector<float>{node.step() == 0 ? static_cast<float>(-start_of(node.id())) : 0.0f};
       }});
  cluster.run(programs_of(system));
  Values models;
  for (int worker = 0; worker < workers; ++worker) models.push_back(cluster.node(worker).weights().read()[0]);
  return models;
}

Values times(const graph::Matrix& matrix, const Values& values, bool transposed = false) {
  Values result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < values.size(); ++j) result[i] += (transposed ? matrix[j][i] : matrix[i][j]) * values[j];
  }
  return result;
}

Values starts() {
  Values values;
  for (int worker = 0; worker < workers; ++worker) values.push_back(start_of(worker));
  return values;
}

double largest_difference(const Values& a, const Values& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}
double distance_from_mean(const Values& values) {
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum);
}
double mean_of(const Values& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

graph::Topology own(graph::Edges edges, bool directed = false) {
  graph::GraphObject object;
  object.edges = std::move(edges);
  object.directed = directed;
  graph::Topology topology;
  topology.is = std::move(object);
  return topology;
}

const graph::Edges pairs{
    graph::Edges::Pairs{{"w0", "w1"}, {"w1", "w2"}, {"w2", "w0"}, {"w2", "w3"}, {"w3", "w4"}, {"w4", "w5"}}},
    even_circle{
        graph::Edges::Pairs{{"w0", "w1"}, {"w1", "w2"}, {"w2", "w3"}, {"w3", "w0"}, {"w3", "w4"}, {"w4", "w5"}}},
    weighted{std::vector<graph::Edge>{
        {"w0", "w1", 0.25}, {"w1", "w2", 0.5}, {"w2", "w3", 0.5}, {"w3", "w4", 0.125}, {"w4", "w5", 0.5}}},
    arcs{graph::Edges::Pairs{{"w0", "w1"},
                             {"w1", "w2"},
                             {"w2", "w0"},
                             {"w2", "w3"},
                             {"w3", "w4"},
                             {"w4", "w5"},
                             {"w5", "w0"},
                             {"w5", "w2"}}};

// A ring, two pairs, and a star, one a round.
graph::Topology in_turn() {
  std::vector<graph::OneGraph> graphs(3);
  graphs[0].is = graph::GraphKind::ring;
  graph::GraphObject two;
  two.edges = graph::Edges{graph::Edges::Pairs{{"w0", "w3"}, {"w1", "w4"}}};
  graphs[1].is = two;
  graphs[2].is = graph::GraphKind::star;
  graph::Topology topology;
  topology.is = graphs;
  return topology;
}

std::vector<graph::Topology> all_topologies() {
  using graph::GraphKind;
  return {GraphKind::ring,        GraphKind::line,        GraphKind::star, GraphKind::grid, GraphKind::hierarchical,
          GraphKind::small_world, GraphKind::erdos_renyi, own(pairs),      own(weighted),   in_turn()};
}

graph::Graph graph_of(const graph::Topology& topology) {
  return graph::graph_of_run(topology, std::nullopt, workers, six_workers().worker_names, seed);
}

}  // namespace

TEST_CASE("D-PSGD on any graph multiplies the models by W once a round, which keeps their mean") {
  for (const graph::Topology& topology : all_topologies()) {
    const graph::Graph graph = graph_of(topology);
    const auto system = with<DPsgdParams>([&](auto& params) { params.topology = topology; });
    const std::int64_t rounds = 7;
    Values expected = starts();  // put there behind round 0
    for (std::int64_t round = 1; round < rounds; ++round)
      expected = times(graph::mixing_matrix(graph, round), expected);
    const Values models = after(system, rounds);
    CHECK(largest_difference(models, expected) < 1e-4);
    CHECK(mean_of(models) == doctest::Approx(mean).epsilon(1e-5));
  }
}

TEST_CASE("D-PSGD on a star contracts by 1 - 1 / n a round, the second eigenvalue of Metropolis' weights") {
  const auto system = with<DPsgdParams>([](auto& params) { params.topology = graph::GraphKind::star; });
  const double factor = distance_from_mean(after(system, 20)) / distance_from_mean(after(system, 10));
  CHECK(factor == doctest::Approx(std::pow(1 - 1.0 / workers, 10)).epsilon(1e-3));
  CHECK(graph::consensus_of(graph_of(graph::GraphKind::star)).factor == doctest::Approx(1 - 1.0 / workers));
}

TEST_CASE("CHOCO without compression is D-PSGD that combines after, on any graph that stays") {
  for (const graph::Topology& topology : all_topologies()) {
    if (graph_of(topology).rounds() > 1) continue;
    const auto choco = with<ChocoParams>([&](auto& params) {
      params.topology = topology;
      params.codec = AllDifferences{};
    });
    const auto d_psgd = with<DPsgdParams>([&](auto& params) {
      params.topology = topology;
      params.combine = Combine::after;
    });
    CHECK(largest_difference(after(choco, 6), after(d_psgd, 6)) < 1e-4);
  }
}

TEST_CASE("SGP on arcs that go one way: shares by each worker's targets, whose weighted sum stays") {
  const graph::Topology topology = own(arcs, true);
  const auto system = with<SgpParams>([&](auto& params) { params.topology = topology; });
  const graph::Matrix shares = graph::share_matrix(graph_of(topology), 0);
  const std::int64_t rounds = 5;
  Values x = starts(), w(workers, 1);
  for (std::int64_t round = 0; round < rounds; ++round) {
    x = times(shares, x, true);
    w = times(shares, w, true);
  }
  const Values models = after(system, rounds);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(models[i] == doctest::Approx(x[i] / w[i]).epsilon(1e-4));
    sum += w[i] * models[i];
  }
  CHECK(sum / workers == doctest::Approx(mean).epsilon(1e-4));
  CHECK(largest_difference(w, Values(workers, 1)) > 0.1);  // averaging alone would give another result
  for (const bool overlap : {false, true}) {
    const Values end = after(with<SgpParams>([&](auto& params) {
                               params.topology = topology;
                               params.overlap = overlap;
                             }),
                             80);
    CHECK(largest_difference(end, Values(workers, mean)) < 1e-3);
  }
}

TEST_CASE("AD-PSGD and gossip in pairs along edges keep the mean and bring all together") {
  graph::GraphObject star;
  star.type = graph::GraphKind::star;
  graph::GraphObject circle;
  circle.edges = even_circle;
  for (const graph::GraphObject& object : {star, circle}) {
    const Values ad_psgd = after(with<AdPsgdParams>([&](auto& params) { params.topology.is = object; }), 60);
    CHECK(mean_of(ad_psgd) == doctest::Approx(mean).epsilon(1e-3));
    CHECK(distance_from_mean(ad_psgd) < 0.05 * distance_from_mean(starts()));
    const Values gossip = after(with<GossipParams>([&](auto& params) {
                                  params.mode = GossipMode::pair;
                                  params.topology.emplace();
                                  params.topology->is = object;
                                }),
                                60);
    CHECK(mean_of(gossip) == doctest::Approx(mean).epsilon(1e-3));
    CHECK(distance_from_mean(gossip) < 0.05 * distance_from_mean(starts()));
  }
}

TEST_CASE("gossip along edges asks neighbours alone, all of them equally often") {
  LocalCluster cluster({.cluster = six_workers(), .steps = 100});
  cluster.run(programs_of(with<GossipParams>([](auto& params) { params.topology = graph::GraphKind::star; })));
  std::vector<int> asked(workers);
  for (int worker = 0; worker < workers; ++worker) {
    for (const Message& message : cluster.node(worker).sent) {
      CHECK((worker == 0 || message.target == 0));
      if (worker == 0) ++asked[static_cast<std::size_t>(message.target)];
    }
  }
  // 100 questions of the middle, 20 of each leaf on average with a deviation of 4; and 100 answers to each.
  for (int leaf = 1; leaf < workers; ++leaf) CHECK(std::abs(asked[static_cast<std::size_t>(leaf)] - 120) < 20);
}

}  // namespace ddl::systems::own_graph_test

// Decentralized systems against their papers' recursions: the network must change when things happen, not what.
#include <doctest/doctest.h>

#include "tests/laws/decentralized.hpp"

namespace ddl::decentralized_laws_test {

namespace {

graph::Graph graph_of(graph::GraphKind kind, int nodes) {
  return graph::Graph(kind, nodes, {}, stream(1, "test", "unused"));
}

std::string with_topology(const char* name, graph::GraphKind kind, const char* more = "") {
  return fmt::format(R"({{"name": "{}", "topology": "{}"{}}})", name, name_of(kind), more);
}

}  // namespace

TEST_CASE("D-PSGD without gradients: every round multiplies all models by W, and keeps their mean") {
  for (const graph::GraphKind kind :
       {graph::GraphKind::ring, graph::GraphKind::torus, graph::GraphKind::complete, graph::GraphKind::exponential,
        graph::GraphKind::undirected_exponential, graph::GraphKind::one_peer_exponential}) {
    CAPTURE(name_of(kind));
    const int n = 6, rounds = 7;
    const auto scenario = only_averaging(with_topology("d_psgd", kind), n, rounds);
    Models expected = initial_models(scenario, n);
    const auto start = mean_of(expected);
    const graph::Graph g = graph_of(kind, n);
    for (int round = 0; round < rounds; ++round) expected = mixed(graph::mixing_matrix(g, round), expected);
    const Models models = run::run(scenario).weights;
    CHECK(largest_difference(models, expected) < 1e-6);
    CHECK(largest_difference(mean_of(models), start) < 1e-6);
  }
}

TEST_CASE("D-PSGD on a ring contracts by the square of 1/3 + 2/3 cos(2 pi / n) a round") {
  const int n = 8;
  const double lambda = graph::second_eigenvalue(graph::mixing_matrix(graph_of(graph::GraphKind::ring, n), 0));
  const auto after = [&](int rounds) {
    return disagreement(run::run(only_averaging(R"("d_psgd")", n, rounds)).weights);
  };
  // The first rounds rid the models of all faster modes.
  const double early = after(10), late = after(20);
  CHECK(late / early == doctest::Approx(std::pow(lambda, 2 * 10)).epsilon(0.02));
}

TEST_CASE("a random regular graph contracts at least as its matrix's second eigenvalue says, and keeps the mean") {
  const int n = 10, rounds = 12;
  const auto scenario = only_averaging(R"({"name": "d_psgd", "topology": "random_regular", "degree": 3})", n, rounds);
  const double lambda = graph::second_eigenvalue(graph::mixing_matrix(
      graph::Graph(graph::GraphKind::random_regular, n, 3, stream(scenario.seed, "everybody", "graph")), 0));
  CHECK(lambda < 1);
  const Models start = initial_models(scenario, n), end = run::run(scenario).weights;
  CHECK(disagreement(end) <= 1.001 * std::pow(lambda, 2 * rounds) * disagreement(start));
  CHECK(largest_difference(mean_of(start), mean_of(end)) < 1e-6);
}

TEST_CASE("D-PSGD = x_i <- sum_j W_ij x_j - step(gradient at the old x_i), and the mean moves by the mean gradient") {
  for (const char* overlap : {"", R"(, "overlap": true)"}) {
    const int n = 4, rounds = 6;
    const auto scenario = learning_apart(with_topology("d_psgd", graph::GraphKind::ring, overlap), n, rounds);
    const Models simulated = run::run(scenario).weights;  // first: the reference has threads
    Reference reference(scenario, n);
    for (int round = 0; round < rounds; ++round) {
      const Models gradients = reference.gradients();
      reference.models = mixed(graph::mixing_matrix(graph_of(graph::GraphKind::ring, n), round), reference.models);
      reference.apply(gradients);
    }
    CHECK(largest_difference(simulated, reference.models) < 1e-5);
  }
}

TEST_CASE("D-PSGD, combine after = x_i <- sum_j W_ij (x_j - step(gradient at x_j))") {
  const int n = 5, rounds = 6;
  const auto scenario =
      learning_apart(with_topology("d_psgd", graph::GraphKind::ring, R"(, "combine": "after")"), n, rounds);
  const Models simulated = run::run(scenario).weights;  // first: the reference has threads
  Reference reference(scenario, n);
  for (int round = 0; round < rounds; ++round) {
    reference.apply(reference.gradients());
    reference.models = mixed(graph::mixing_matrix(graph_of(graph::GraphKind::ring, n), round), reference.models);
  }
  CHECK(largest_difference(simulated, reference.models) < 1e-5);
}

TEST_CASE("the mean of D-PSGD's models moves by the mean gradient: after one step it is the same on every graph") {
  const auto mean_after_a_step = [](const std::string& algorithm) {
    return mean_of(run::run(learning_apart(algorithm, 6, 1)).weights);
  };
  const auto ring = mean_after_a_step(R"("d_psgd")");
  for (const graph::GraphKind kind :
       {graph::GraphKind::complete, graph::GraphKind::torus, graph::GraphKind::exponential}) {
    CHECK(largest_difference(mean_after_a_step(with_topology("d_psgd", kind)), ring) < 1e-6);
    CHECK(largest_difference(mean_after_a_step(with_topology("d_psgd", kind, R"(, "combine": "after")")), ring) < 1e-6);
    CHECK(largest_difference(mean_after_a_step(with_topology("sgp", kind)), ring) < 1e-6);
  }
}

TEST_CASE("on the complete graph from one start, D-PSGD that combines after is a synchronous parameter server") {
  // Every worker's shard is one batch. Averaging before applying makes the first step's mean the same, no more.
  const std::string rest = R"("data": {"train": 64, "test": 100}, "training": {"batch_size": 16}, "stop": )";
  const std::string system = R"({"name": "d_psgd", "topology": "complete", "combine": )";
  const auto server = run::run(learning(R"("ps_sync")", 4, 1, rest + R"({"iterations": 12})"));
  const auto after = run::run(learning(system + R"("after"})", 4, 0, rest + R"({"iterations": 12})"));
  for (const auto& model : after.weights) {
    CHECK(largest_difference(model, server.weights[0]) < 1e-6);
    CHECK(model == after.weights[0]);
  }
  const auto server_once = run::run(learning(R"("ps_sync")", 4, 1, rest + R"({"iterations": 1})"));
  const auto before_once = run::run(learning(system + R"("before"})", 4, 0, rest + R"({"iterations": 1})"));
  CHECK(largest_difference(mean_of(before_once.weights), server_once.weights[0]) < 1e-6);
  CHECK(largest_difference(before_once.weights[0], before_once.weights[1]) > 1e-4);
}

TEST_CASE("workers that stop earlier than their neighbours keep the mean") {
  // 33 batches for 5 workers: some take a step more.
  for (const char* system : {R"("d_psgd")", R"({"name": "d_psgd", "topology": "complete"})", R"("ad_psgd")"}) {
    CAPTURE(system);
    auto scenario = only_averaging(system, 5, 1);
    scenario.stop.iterations.reset();
    scenario.stop.samples = 66;
    const auto result = run::run(scenario);
    CHECK(*std::ranges::max_element(result.steps) > *std::ranges::min_element(result.steps));
    CHECK(largest_difference(mean_of(initial_models(scenario, 5)), mean_of(result.weights)) < 1e-6);
  }
}

TEST_CASE("SGP on the one-peer exponential graph: all models are the exact mean after log2 n rounds") {
  for (const auto& [n, rounds] : {std::pair{2, 1}, {4, 2}, {8, 3}, {16, 4}}) {
    const auto scenario = only_averaging(R"("sgp")", n, rounds);
    const Models start = initial_models(scenario, n);
    const auto mean = mean_of(start);
    const Models models = run::run(scenario).weights;
    for (const auto& model : models) CHECK(largest_difference(model, mean) < 1e-6);
    if (n == 2) continue;
    const Models one_less = run::run(only_averaging(R"("sgp")", n, rounds - 1)).weights;
    CHECK(disagreement(one_less) > 1e-3 * disagreement(start));
  }
}

TEST_CASE("SGP = x <- sum_j p_ij (x_j - step(gradient at x_j)) while no part is late") {
  const int n = 6, rounds = 7;
  const auto scenario = learning_apart(R"("sgp")", n, rounds);
  const graph::Graph g = graph_of(graph::GraphKind::one_peer_exponential, n);
  const Models simulated = run::run(scenario).weights;  // first: the reference has threads
  Reference reference(scenario, n);
  for (int round = 0; round < rounds; ++round) {
    reference.apply(reference.gradients());
    reference.models = mixed(graph::mixing_matrix(g, round), reference.models);
  }
  CHECK(largest_difference(simulated, reference.models) < 1e-5);
}

TEST_CASE("SGP with overlap still finds the mean: shares under way are not missing from the ratio") {
  // A round late, the directed ring's modes go as l^2 = l / 2 + w / 2 with w^6 = 1: the slowest by 0.96 a round.
  for (const graph::GraphKind kind : {graph::GraphKind::directed_ring, graph::GraphKind::one_peer_exponential}) {
    auto scenario = only_averaging(with_topology("sgp", kind, R"(, "overlap": true)"), 6, 350);
    scenario.compute.jitter = 0.3;
    const auto mean = mean_of(initial_models(scenario, 6));
    for (const auto& model : run::run(scenario).weights) CHECK(largest_difference(model, mean) < 1e-5);
  }
}

TEST_CASE("SGP with overlap: x and w by hand for two workers and two rounds") {
  // Half of everything goes to the other and is added a round late; what is late at the end is added then.
  //   after round 0: x_i = a_i / 2                 w = 1/2
  //   after round 1: x_i = a_i / 4 + a_j / 2       w = 3/4
  //   at the end:    x_i += a_j / 4 (half of a_j / 2), w = 3/4 + 1/4 = 1, so z = a_i / 4 + 3 a_j / 4
  const auto scenario = only_averaging(R"({"name": "sgp", "overlap": true})", 2, 2);
  const Models start = initial_models(scenario, 2);
  CHECK(largest_difference(run::run(scenario).weights, mixed({{0.25, 0.75}, {0.75, 0.25}}, start)) < 1e-6);
}

}  // namespace ddl::decentralized_laws_test

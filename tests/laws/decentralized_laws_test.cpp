// Decentralized systems against their papers' recursions: the network must change only the times of events.
#include <doctest/doctest.h>

#include "tests/laws/decentralized.hpp"
#include "tests/support/run.hpp"

namespace ddl::decentralized_laws_test {

namespace {

graph::Graph graph_of(graph::GraphKind kind, int nodes) {
  return graph::Graph(kind, nodes, {}, stream(1, "test", "unused"));
}

std::string with_topology(const char* name, graph::GraphKind kind, const char* more = "") {
  return fmt::format(R"({{"name": "{}", "topology": "{}"{}}})", name, name_of(kind), more);
}

}  // namespace

TEST_CASE("averaging keeps the models' mean and brings them together, with any peer, at any time") {
  struct Row {
    std::string system;
    int workers, rounds;
    double left;  // at most, of their disagreement
  };
  std::vector<Row> rows = {
      {R"({"name": "local_sgd", "local_steps": 3})", 4, 3, 1e-12},
      {R"({"name": "choco", "codec": "top_k"})", 4, 150, 0.05},
      {R"({"name": "choco", "codec": "random_k"})", 4, 150, 0.05},
      // A round late, the directed ring's modes go as l^2 = l / 2 + w / 2 with w^6 = 1: the
      // slowest by 0.96 a round. Shares under way are not missing from SGP's ratio.
      {with_topology("sgp", graph::GraphKind::directed_ring, R"(, "overlap": true)"), 6, 350, 1e-9},
      {R"({"name": "sgp", "overlap": true})", 6, 350, 1e-9}};
  for (const char* more : {"", R"(, "order": "overlap")", R"(, "merge": "loss_weighted")",
                           R"(, "merge": "loss_weighted", "order": "overlap")"}) {
    rows.push_back({fmt::format(R"({{"name": "gossip", "mode": "pair"{}}})", more), 6, 25, 1e-6});
  }
  for (const char* more :
       {"", R"(, "topology": "complete_bipartite")", R"(, "topology": "bipartite_exponential", "peer": "cyclic")",
        R"(, "gossip_rate": "continuous")", R"(, "apply": "at_once")",
        R"(, "gossip_rate": "continuous", "apply": "at_once")",
        R"(, "gossip_rate": 3, "update_order": "update_then_average")"}) {
    for (const int n : {2, 7}) rows.push_back({fmt::format(R"({{"name": "ad_psgd"{}}})", more), n, 60, 0.05});
  }
  for (const Row& row : rows) {
    CAPTURE(row.system);
    CAPTURE(row.workers);
    auto scenario = only_averaging(row.system, row.workers, row.rounds);
    scenario.compute.jitter = 0.5;
    const Models start = initial_models(scenario, row.workers), end = run::run(scenario).weights;
    CHECK(largest_difference(mean_of(start), mean_of(end)) < 1e-5);
    CHECK(disagreement(end) <= row.left * disagreement(start));
  }
  // Also where workers stop earlier than their neighbours: 33 batches for 5, so some take a step more.
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

TEST_CASE(
    "rounds are their papers' recursions: D-PSGD mixes before the step or after, SGP after while no part is late") {
  const auto ring = graph::GraphKind::ring, one_peer = graph::GraphKind::one_peer_exponential;
  struct Row {
    std::string system;
    graph::GraphKind graph;
    int workers;
    bool mixes_first;  // x_i <- sum_j W_ij x_j - step(gradient at the old x_i), else sum_j W_ij (x_j - step(...))
  };
  for (const Row& row : {Row{with_topology("d_psgd", ring), ring, 4, true},
                         Row{with_topology("d_psgd", ring, R"(, "overlap": true)"), ring, 4, true},
                         Row{with_topology("d_psgd", ring, R"(, "combine": "after")"), ring, 5, false},
                         Row{R"("sgp")", one_peer, 6, false}}) {
    CAPTURE(row.system);
    const int rounds = 7;
    const auto scenario = learning_apart(row.system, row.workers, rounds);
    const Models simulated = run::run(scenario).weights;  // first: the reference has threads
    Reference reference(scenario, row.workers);
    for (int round = 0; round < rounds; ++round) {
      const Models gradients = reference.gradients();
      if (!row.mixes_first) reference.apply(gradients);
      reference.models = mixed(graph::mixing_matrix(graph_of(row.graph, row.workers), round), reference.models);
      if (row.mixes_first) reference.apply(gradients);
    }
    CHECK(largest_difference(simulated, reference.models) < 1e-5);
  }
}

TEST_CASE("D-PSGD that mixes before the step has a synchronous server's mean after the first step, and no more") {
  const std::string rest =
      R"("data": {"train": 64, "test": 100}, "training": {"batch_size": 16}, "stop": {"iterations": 1})";
  const auto server = run::run(learning(R"("ps_sync")", 4, 1, rest));
  const auto before = run::run(learning(R"({"name": "d_psgd", "topology": "complete"})", 4, 0, rest));
  CHECK(largest_difference(mean_of(before.weights), server.weights[0]) < 1e-6);
  CHECK(largest_difference(before.weights[0], before.weights[1]) > 1e-4);
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

TEST_CASE("SGP with overlap: x and w by hand for two workers and two rounds") {
  // Half of everything goes to the other and is added a round late; what is late at the end is added then.
  //   after round 0: x_i = a_i / 2                 w = 1/2
  //   after round 1: x_i = a_i / 4 + a_j / 2       w = 3/4
  //   at the end:    x_i += a_j / 4 (half of a_j / 2), w = 3/4 + 1/4 = 1, so z = a_i / 4 + 3 a_j / 4
  const auto scenario = only_averaging(R"({"name": "sgp", "overlap": true})", 2, 2);
  const Models start = initial_models(scenario, 2);
  CHECK(largest_difference(run::run(scenario).weights, mixed({{0.25, 0.75}, {0.75, 0.25}}, start)) < 1e-6);
}

TEST_CASE("AD-PSGD: after one exchange both of a pair hold the same mean") {
  // Not zero: the gradients vanish, but zeros do not absorb them.
  const auto scenario = only_averaging(R"("ad_psgd")", 2, 1);
  const Models start = initial_models(scenario, 2), end = run::run(scenario).weights;
  CHECK(largest_difference(end[0], end[1]) < 1e-20);
  CHECK(largest_difference(end, mixed({{0.5, 0.5}, {0.5, 0.5}}, start)) < 1e-20);
}

TEST_CASE("AD-PSGD's gradients reach the sum once each: it ends where the gradients at the start move it") {
  // One step: each gradient is taken at the start, so the mean moves by the mean gradient, as in D-PSGD.
  const auto d = mean_of(run::run(learning_apart(R"("d_psgd")", 4, 1)).weights);
  for (const char* how : {R"("update_order": "average_then_update")", R"("update_order": "update_then_average")",
                          R"("apply": "at_once")"}) {
    const auto ad = run::run(learning_apart(fmt::format(R"({{"name": "ad_psgd", {}}})", how), 4, 1));
    CHECK(largest_difference(mean_of(ad.weights), d) < 1e-6);
  }
}

TEST_CASE("CHOCO without compression is gossip averaging: D-PSGD that combines after") {
  const auto d =
      run::run(learning_apart(R"({"name": "d_psgd", "topology": "torus", "combine": "after"})", 6, 8)).weights;
  const auto choco =
      run::run(learning_apart(R"({"name": "choco", "topology": "torus", "codec": "none"})", 6, 8)).weights;
  CHECK(largest_difference(choco, d) < 1e-5);
}

TEST_CASE("CHOCO's first round by hand: the largest values travel, and gamma of the way is gone") {
  // All copies start at 0, so the largest tenth of a model travels.
  const auto scenario =
      only_averaging(R"({"name": "choco", "codec": {"type": "top_k", "fraction": 0.1}, "consensus_rate": 0.6})", 2, 1);
  const Models start = initial_models(scenario, 2);
  Models sent = start;
  for (auto& model : sent) {
    std::vector<float> magnitudes;
    for (const float value : model) magnitudes.push_back(std::fabs(value));
    std::ranges::sort(magnitudes, std::greater{});
    const float least = magnitudes[static_cast<std::size_t>(std::ceil(0.1 * static_cast<double>(model.size()))) - 1];
    for (float& value : model) value = std::fabs(value) >= least ? value : 0;
  }
  Models expected = start;
  for (const std::size_t i : {0, 1}) {
    add_scaled(expected[i], sent[1 - i], 0.6f / 2);  // W = 1/2 on the only edge
    add_scaled(expected[i], sent[i], -0.6f / 2);
  }
  CHECK(largest_difference(run::run(scenario).weights, expected) < 1e-6);
}

}  // namespace ddl::decentralized_laws_test

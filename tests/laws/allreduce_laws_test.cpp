// All-reduces over uneven links and workers, of parts, over sites, and in rounds without some workers.
#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

#include "tests/support/scenarios.hpp"

namespace ddl::allreduce_laws_test {

namespace {

constexpr double c = 0.1, n_over_b = 1.0;
constexpr int rounds = 5;

void check_replicas_equal(const run::RunResult& result) {
  for (const auto& weights : result.weights) CHECK(weights == result.weights[0]);
}

// Two sites with 10 MB/s at each host and 1 MB/s between them, and messages of 1 MB.
scenario::Scenario between_sites(const std::string& algorithm, int workers, double latency_s, double site_latency_s) {
  auto scenario = timing_only(algorithm, workers, 0, "0ms", fmt::format(R"({{"iterations": {}}})", rounds));
  auto& hosts = std::get<scenario::GeneratedPlatform>(scenario.platform.hosts);
  hosts.topology = scenario::Topology::two_sites;
  hosts.bandwidth = {{10e6}};
  hosts.site_bandwidth = BytesPerSecond{1e6};
  hosts.latency = {latency_s};
  hosts.site_latency = Seconds{site_latency_s};
  return scenario;
}

// Models' worth that cross from one site to the other in a round; the same both ways.
double crossing(const run::RunResult& result) {
  double bytes = 0;
  for (const run::TrafficRow& row : result.traffic) {
    if (row.link != "sites") continue;
    CHECK((bytes == 0 || row.bytes == bytes));
    bytes = row.bytes;
  }
  return bytes / rounds / 1e6;
}

run::RunResult learnt_between_sites(const std::string& algorithm, int workers, const std::string& faults = "") {
  auto scenario =
      learning(algorithm, workers, 0,
               fmt::format(R"("data": {{"train": 400, "test": 50}}, "stop": {{"iterations": 12}}{})", faults));
  std::get<scenario::GeneratedPlatform>(scenario.platform.hosts).topology = scenario::Topology::two_sites;
  return run::run(scenario);
}

}  // namespace

TEST_CASE("a ring runs at its slowest link, or waits for its slowest worker") {
  auto scenario = timing_only(R"("ring_allreduce")", 4, 0, "0ms", R"({"iterations": 5})");
  auto& bandwidth = std::get<scenario::GeneratedPlatform>(scenario.platform.hosts).bandwidth;
  bandwidth = {{1e6}, {0.25e6}, {0.5e6}, {1e6}};
  CHECK(run::run(scenario).simulated_s == doctest::Approx(rounds * (c + 2 * 3 * (4 * n_over_b) / 4)).epsilon(0.01));
  bandwidth = {{1e6}};
  scenario.compute.slowdown = {{"w3", 7}};
  CHECK(run::run(scenario).simulated_s == doctest::Approx(rounds * (7 * c + 2 * 3 * n_over_b / 4)).epsilon(0.01));
}

TEST_CASE("replicas stay equal to the bit when the last round has fewer gradients than workers") {
  for (const char* algorithm :
       {R"("ring_allreduce")", R"("tree_allreduce")", R"("star_allreduce")", R"("hierarchical_allreduce")",
        R"("butterfly_allreduce")", R"({"name": "ring_allreduce", "slice_bytes": "500B"})",
        R"({"name": "hierarchical_allreduce", "slice_bytes": "500B"})"}) {
    for (const int workers : {3, 6}) {
      auto scenario = learning(algorithm, workers, 0,
                               R"("data": {"train": 400, "test": 50}, "stop": {"samples": 210},
                                  "training": {"batch_size": 10,
                                               "optimizer": {"type": "adam", "learning_rate": 0.01}})");
      scenario.training.gradient_scale = workers == 3 ? GradientScale::mean : GradientScale::sum;
      scenario.compute.jitter = 0.3;
      const auto result = run::run(scenario);
      CHECK(result.samples == 210);  // 21 batches: 6 x 3 and 3 more
      REQUIRE(result.weights.size() == static_cast<std::size_t>(workers));
      check_replicas_equal(result);
    }
  }
}

TEST_CASE("after one step of a partial all-reduce replicas agree in the first partition and nowhere else") {
  const auto after = [](int iterations) {
    return run::run(
        learning(R"({"name": "partial_allreduce", "partitions": 2, "collective": "tree"})", 2, 0,
                 fmt::format(R"("data": {{"train": 400, "test": 50}}, "stop": {{"iterations": {}}})", iterations)));
  };
  const auto one = after(1);
  const std::size_t half = one.weights[0].size() / 2;
  std::size_t alike = 0;
  for (std::size_t k = 0; k < one.weights[0].size(); ++k) {
    if (k < half) CHECK(one.weights[0][k] == one.weights[1][k]);
    if (k >= half && one.weights[0][k] == one.weights[1][k]) ++alike;
  }
  CHECK(alike < half / 10);
  CHECK(after(2).weights[0][0] !=
        after(2).weights[1][0]);  // only the other half of the second step's gradient is shared
}

// Trains three layers, by an exchange that may overlap: 12 steps, on links of `mbps` Mbit/s.
run::RunResult overlapped(const std::string& algorithm, const std::string& optimizer, int mbps) {
  auto scenario = learning(algorithm, 3, 0,
                           fmt::format(R"("data": {{"train": 400, "test": 50}}, "stop": {{"iterations": 12}},
                                          "evaluate": {{"every_iterations": 3}},
                                          "training": {{"batch_size": 10, "optimizer": {}}})",
                                       optimizer));
  scenario.model = three_layers();
  auto& hosts = std::get<scenario::GeneratedPlatform>(scenario.platform.hosts);
  hosts.bandwidth = {{mbps * 1e6 / 8}};
  hosts.latency = {};  // each sum would pay it
  return run::run(scenario);
}

TEST_CASE("overlap changes the time of a step and not the learning, except for the order of sums") {
  struct Row {
    const char *block, *overlapped;
  };
  for (const char* optimizer :
       {R"({"type": "sgd", "learning_rate": 0.1, "weight_decay": 0.01})", R"({"type": "adam", "learning_rate": 0.01})",
        R"({"type": "momentum", "learning_rate": 0.05, "clip_norm": 0.5})",
        R"({"type": "sgd", "learning_rate": 0.1, "schedule": {"type": "cosine"}})"}) {
    for (const Row& row :
         {Row{R"("ring_allreduce")", R"({"name": "ring_allreduce", "overlap": "backward", "bucket_bytes": "1kB"})"},
          Row{R"("ring_allreduce")", R"({"name": "ring_allreduce", "overlap": "layers"})"},
          Row{R"("tree_allreduce")", R"({"name": "tree_allreduce", "overlap": "layers", "bucket_bytes": "1kB"})"},
          Row{R"({"name": "star_allreduce", "codec": {"type": "sign"}})",
              R"({"name": "star_allreduce", "codec": {"type": "sign"}, "overlap": "layers",
                  "bucket_bytes": "1GB"})"},
          Row{R"({"name": "diloco", "sync_every": 4, "overlap": "none"})", R"({"name": "diloco", "sync_every": 4})"},
          Row{R"({"name": "diloco", "sync_every": 6, "fragments": 3, "overlap": "none"})",
              R"({"name": "diloco", "sync_every": 6, "fragments": 3})"}}) {
      CAPTURE(optimizer);
      CAPTURE(row.overlapped);
      const auto block = overlapped(row.block, optimizer, 1);
      const auto slow = overlapped(row.overlapped, optimizer, 1), quick = overlapped(row.overlapped, optimizer, 100);
      check_replicas_equal(slow);
      CHECK(slow.weights == quick.weights);  // over bandwidths equal to the bit, and so are curves by steps
      REQUIRE(slow.curve.size() == quick.curve.size());
      for (std::size_t i = 0; i < slow.curve.size(); ++i) {
        CHECK(slow.curve[i].iteration == quick.curve[i].iteration);
        CHECK(slow.curve[i].test_loss == quick.curve[i].test_loss);
      }
      for (std::size_t i = 1; i < slow.iterations.size(); ++i) {  // no instant is in two steps of a worker
        const run::IterationRow &before = slow.iterations[i - 1], &now = slow.iterations[i];
        if (now.worker == before.worker) CHECK(now.start_s >= before.end_s);
      }
      CHECK(largest_difference(slow.weights[0], block.weights[0]) < 1e-5);
      // In a tree, upward sums share links with downward ones. Where clipping needs whole gradients, overlap gains
      // nothing.
      if (!std::string_view(row.block).starts_with("\"tree")) CHECK(slow.simulated_s <= block.simulated_s * 1.001);
    }
  }
}

// S = 2 sites of g workers; b = 10 B. After the last step a round of empty messages ends the group.
TEST_CASE("over sites a hierarchical round takes c + 2(g-1)(N/(gb) + l) + 2(S-1)(N/(SB) + l + L)") {
  const double l = 0.002, L = 0.01;
  for (const int g : {1, 2, 3}) {
    CAPTURE(g);
    const auto result = run::run(between_sites(R"("hierarchical_allreduce")", 2 * g, l, L));
    const double at_home = 2 * (g - 1) * (0.1 * n_over_b / g + l), across = 2 * (n_over_b / 2 + l + L);
    CHECK(result.simulated_s ==
          doctest::Approx(rounds * (c + at_home + across) + 2 * (g - 1) * l + 2 * (l + L)).epsilon(1e-5));
    CHECK(crossing(result) == doctest::Approx(1));
    CHECK(result.bytes_sent == doctest::Approx(rounds * 1e6 * (2.0 + 2 * 2 * (g - 1))));
    // Each link between hosts and switches: 2(g-1)/g at home, and a g-th of the traffic across.
    for (const run::TrafficRow& row : result.traffic) {
      if (row.link == "sites") continue;
      CHECK(row.bytes == doctest::Approx(rounds * 1e6 * (2.0 * (g - 1) + 1) / g).epsilon(1e-5));
    }
  }
}

TEST_CASE("between two sites a ring over all workers carries 2(n-1)/n models, a hierarchical all-reduce one") {
  for (const int n : {4, 6}) {
    const auto ring = run::run(between_sites(R"("ring_allreduce")", n, 0, 0));
    CHECK(crossing(ring) == doctest::Approx(2 * (n - 1.0) / n));
    // Workers are through with a round while the link between sites has its last chunk: it is always busy.
    CHECK(ring.simulated_s == doctest::Approx(c + rounds * 2 * (n - 1.0) / n).epsilon(1e-5));
    const auto hierarchical = run::run(between_sites(R"("hierarchical_allreduce")", n, 0, 0));
    CHECK(hierarchical.simulated_s == doctest::Approx(rounds * (c + 1 + 0.2 * (n - 2) / n)).epsilon(1e-5));
  }
}

TEST_CASE("sites of different sizes exchange as much, and none beats the bound") {
  for (const int workers : {3, 5, 7}) {
    for (const char* algorithm :
         {R"("hierarchical_allreduce")", R"({"name": "local_sgd", "local_steps": 1, "collective": "hierarchical"})"}) {
      CAPTURE(workers);
      const auto result = run::run(between_sites(algorithm, workers, 0.002, 0.01));
      CHECK(crossing(result) == doctest::Approx(1));
      CHECK(result.bounds.step_s <= result.simulated_s / rounds);
      CHECK(result.bounds.step_s >= 1);  // the model that crosses
    }
  }
}

TEST_CASE("over sites, too, replicas are equal to the bit and learn what the star does") {
  const std::string with_codec =
      R"({{"name": "hierarchical_allreduce", "codec": {{"type": "top_k", "fraction": {}}}}})";
  for (const int workers : {3, 4, 5}) {
    CAPTURE(workers);
    const auto star = learnt_between_sites(R"("star_allreduce")", workers);
    const auto hierarchical = learnt_between_sites(R"("hierarchical_allreduce")", workers);
    check_replicas_equal(hierarchical);
    CHECK(largest_difference(hierarchical.weights[0], star.weights[0]) < 1e-6);
    for (const double fraction : {0.1, 1.0}) {
      const auto coded = learnt_between_sites(fmt::format(fmt::runtime(with_codec), fraction), workers);
      check_replicas_equal(coded);
      const double difference = largest_difference(coded.weights[0], hierarchical.weights[0]);
      CHECK((fraction == 1 ? difference < 1e-6 : difference > 1e-3));
    }
  }
  for (const std::string system : {R"({{"name": "local_sgd", "local_steps": 3, "collective": "{}"}})",
                                   R"({{"name": "diloco", "sync_every": 3, "collective": "{}"}})",
                                   R"({{"name": "partial_allreduce", "partitions": 3, "collective": "{}"}})"}) {
    CAPTURE(system);
    const auto ring = learnt_between_sites(fmt::format(fmt::runtime(system), "ring"), 5);
    const auto hierarchical = learnt_between_sites(fmt::format(fmt::runtime(system), "hierarchical"), 5);
    CHECK(largest_difference(hierarchical.weights[0], ring.weights[0]) < 1e-5);
    CHECK(ring.pairs.size() == 5);
    CHECK(hierarchical.pairs.size() == 3 + 2 + 2 * 2);  // a ring in each site, and two between them
  }
}

// Each of 5 steps has a ring of g at home; after the last come a hierarchical all-reduce of moves, and its closing
// round.
TEST_CASE("DiLoCo over sites crosses once every H steps, and takes c + 2(g-1)(N/(gb) + l) for the other steps") {
  const double l = 0.002, L = 0.01;
  for (const int g : {1, 2, 3}) {
    CAPTURE(g);
    const auto result =
        run::run(between_sites(R"({"name": "diloco", "sync_every": 5, "replica": "site"})", 2 * g, l, L));
    const double at_home = 2 * (g - 1) * (0.1 * n_over_b / g + l), across = 2 * (n_over_b / 2 + l + L);
    CHECK(crossing(result) == doctest::Approx(1.0 / rounds));
    CHECK(result.bytes_sent == doctest::Approx(1e6 * (2 + (rounds + 1) * 2.0 * 2 * (g - 1))));
    const double closing = 2 * (g - 1) * l + 2 * (l + L), no_one_at_work = 2 * (g - 1) * l;
    CHECK(result.simulated_s ==
          doctest::Approx(rounds * (c + at_home) + at_home + across + closing + no_one_at_work).epsilon(1e-4));
  }
}

// Five workers at two sites: some of them take step 7, or step 8, after which moves are summed.
TEST_CASE("replicas of sites end equal when the last round has fewer gradients than workers") {
  for (const char* weight : {"replicas", "workers"}) {
    for (const int batches : {33, 36, 37, 39}) {
      auto scenario = learning(
          fmt::format(R"({{"name": "diloco", "replica": "site", "sync_every": 2, "weight": "{}"}})", weight), 5, 0,
          fmt::format(R"("data": {{"train": 400, "test": 50}}, "stop": {{"samples": {}}},
                         "training": {{"batch_size": 10}})",
                      10 * batches));
      std::get<scenario::GeneratedPlatform>(scenario.platform.hosts).topology = scenario::Topology::two_sites;
      scenario.compute.jitter = 0.3;
      const auto result = run::run(scenario);
      CHECK(result.samples == 10 * batches);
      check_replicas_equal(result);
      CHECK(result.curve.back().test_loss < result.curve.front().test_loss);
    }
  }
}

// w3 and w4 are the second site, so that for a while there is one site of three.
TEST_CASE("a site that goes and comes back changes the groups, and replicas are equal at the end") {
  const auto crash = [](const char* host, const char* at, const char* back) {
    return fmt::format(R"({{"type": "host_crash", "host": "{}", "at": "{}", "restart": "{}", "state": "lost"}})", host,
                       at, back);
  };
  const std::string faults =
      fmt::format(R"(, "faults": [{}, {}])", crash("w3", "250ms", "700ms"), crash("w4", "450ms", "900ms"));
  const auto star = learnt_between_sites(R"({"name": "star_allreduce", "on_failure": "go_on"})", 5, faults);
  for (const char* codec : {"none", "top_k", "sign", "qsgd"}) {
    CAPTURE(codec);
    const auto result = learnt_between_sites(
        fmt::format(R"({{"name": "hierarchical_allreduce", "on_failure": "go_on", "codec": "{}"}})", codec), 5, faults);
    CHECK(std::ranges::min(result.steps) > 0);
    check_replicas_equal(result);
    if (std::string_view(codec) == "none") CHECK(result.steps == star.steps);
    CHECK(result.curve.back().test_loss < result.curve.front().test_loss);
  }
}

}  // namespace ddl::allreduce_laws_test

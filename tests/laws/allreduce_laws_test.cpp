// All-reduce: bytes and times against the textbook (c = 0.1 s of compute, N/B = 1 s, alpha = latency), and equal
// mathematics whatever way the sums take.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "tests/support/scenarios.hpp"

namespace ddl::allreduce_laws_test {

namespace {

constexpr double c = 0.1, n_over_b = 1.0, alpha = 0.01;
constexpr int rounds = 5;

run::RunResult timed(const std::string& algorithm, int workers) {
  return run::run(timing_only(algorithm, workers, 0, "10ms", R"({"iterations": 5})"));
}

// Every worker's data are one batch, so a round of all workers sees all 64 samples.
run::RunResult trained(const std::string& algorithm, int workers, int servers,
                       const std::string& optimizer = R"({"type": "momentum", "learning_rate": 0.05})") {
  return run::run(learning(algorithm, workers, servers,
                           fmt::format(R"("data": {{"train": 64, "test": 100}}, "stop": {{"iterations": 12}},
                                     "training": {{"batch_size": {}, "optimizer": {}}})",
                                       64 / workers, optimizer)));
}

void check_replicas_equal(const run::RunResult& result) {
  for (const auto& weights : result.weights) CHECK(weights == result.weights[0]);
}

}  // namespace

// After the last step a round of empty messages tells all workers that all are done: the latencies of one round more.

TEST_CASE("ring all-reduce: a node sends exactly 2(n-1)/n N a step, in 2(n-1)(alpha + N/(nB))") {
  for (const int n : {2, 4, 5, 8}) {
    const auto result = timed(R"("ring_allreduce")", n);
    CHECK(result.simulated_s ==
          doctest::Approx(rounds * (c + 2 * (n - 1) * (alpha + n_over_b / n)) + 2 * (n - 1) * alpha).epsilon(0.01));
    CHECK(result.bounds.step_s == doctest::Approx(c + 2 * (n - 1) * n_over_b / n + alpha));  // counts one latency
    REQUIRE(result.pairs.size() == static_cast<std::size_t>(n));
    for (const run::PairRow& pair : result.pairs) {
      CHECK(pair.target == (pair.source + 1) % n);
      CHECK(pair.bytes == rounds * 2.0 * (n - 1) * 1e6 / n);
      CHECK(pair.messages == (rounds + 1) * 2 * (n - 1));
    }
  }
}

TEST_CASE("tree all-reduce takes 2 ceil(log2 n) (alpha + N/B)") {
  for (const int n : {2, 3, 4, 5, 6, 8, 11}) {
    const int levels = std::bit_width(static_cast<unsigned>(n - 1));
    // A worker that is served early begins its next step early; only in a full tree does that help no worker.
    const int steps = std::has_single_bit(static_cast<unsigned>(n)) ? 5 : 1;
    const auto result =
        run::run(timing_only(R"("tree_allreduce")", n, 0, "10ms", fmt::format(R"({{"iterations": {}}})", steps)));
    CHECK(result.simulated_s ==
          doctest::Approx(steps * (c + 2 * levels * (alpha + n_over_b)) + 2 * levels * alpha).epsilon(0.01));
    CHECK(result.bytes_sent == steps * 2.0 * (n - 1) * 1e6);
  }
}

TEST_CASE("star all-reduce takes 2(n-1)N/B + 2 alpha") {
  for (const int n : {2, 4, 7}) {
    const auto result = timed(R"("star_allreduce")", n);
    CHECK(result.simulated_s ==
          doctest::Approx(rounds * (c + 2 * (n - 1) * n_over_b + 2 * alpha) + 2 * alpha).epsilon(0.01));
    CHECK(result.bytes_sent == rounds * 2.0 * (n - 1) * 1e6);
    for (const run::PairRow& pair : result.pairs) CHECK((pair.source == 0 || pair.target == 0));
  }
}

TEST_CASE("a ring runs at its slowest link, or waits for its slowest worker") {
  auto scenario = timing_only(R"("ring_allreduce")", 4, 0, "0ms", R"({"iterations": 5})");
  auto& bandwidth = std::get<scenario::GeneratedPlatform>(scenario.platform.hosts).bandwidth;
  bandwidth = {{1e6}, {0.25e6}, {0.5e6}, {1e6}};
  CHECK(run::run(scenario).simulated_s == doctest::Approx(rounds * (c + 2 * 3 * (4 * n_over_b) / 4)).epsilon(0.01));
  bandwidth = {{1e6}};
  scenario.compute.slowdown = {{"w3", 7}};
  CHECK(run::run(scenario).simulated_s == doctest::Approx(rounds * (7 * c + 2 * 3 * n_over_b / 4)).epsilon(0.01));
}

TEST_CASE("every all-reduce = synchronous parameter server = one worker with the union batch") {
  const auto one = trained(R"("single")", 1, 0);
  for (const int workers : {2, 4, 8}) {
    const auto server = trained(R"("ps_sync")", workers, 1);
    for (const char* algorithm : {R"("ring_allreduce")", R"("tree_allreduce")", R"("star_allreduce")"}) {
      CAPTURE(algorithm);
      const auto many = trained(algorithm, workers, 0);
      CHECK(largest_difference(one.weights[0], many.weights[0]) < 1e-6);
      CHECK(largest_difference(server.weights[0], many.weights[0]) < 1e-6);
      check_replicas_equal(many);
    }
    // Both sum in worker order.
    CHECK(trained(R"("star_allreduce")", workers, 0).weights[0] == server.weights[0]);
  }
}

TEST_CASE("replicas stay equal to the bit when the last round has fewer gradients than workers") {
  for (const char* algorithm : {R"("ring_allreduce")", R"("tree_allreduce")", R"("star_allreduce")"}) {
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

TEST_CASE("a partial all-reduce is the all-reduce with one partition, and sends a P-th with P") {
  CHECK(trained(R"({"name": "partial_allreduce", "partitions": 1})", 4, 0).weights ==
        trained(R"("ring_allreduce")", 4, 0).weights);
  for (const int P : {2, 5}) {
    const auto result = timed(fmt::format(R"({{"name": "partial_allreduce", "partitions": {}}})", P), 4);
    for (const run::PairRow& pair : result.pairs) CHECK(pair.bytes == rounds * 2.0 * 3 / 4 * 1e6 / P);
    CHECK(result.simulated_s ==
          doctest::Approx(rounds * (c + 6 * (alpha + n_over_b / 4 / P)) + 6 * alpha).epsilon(0.01));
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
        after(2).weights[1][0]);  // of the second step's gradient only the other half is shared
}

TEST_CASE("local SGD with one step is the all-reduce of gradients, by plain SGD") {
  const char* const sgd = R"({"type": "sgd", "learning_rate": 0.2})";
  const auto gradients = trained(R"("ring_allreduce")", 4, 0, sgd);
  for (const char* collective : {"ring", "tree", "star"}) {
    const auto models =
        trained(fmt::format(R"({{"name": "local_sgd", "local_steps": 1, "collective": "{}"}})", collective), 4, 0, sgd);
    CHECK(largest_difference(gradients.weights[0], models.weights[0]) < 1e-6);
    check_replicas_equal(models);
  }
}

TEST_CASE("local SGD averages models: it keeps their mean, and all replicas leave a round equal") {
  const auto averaged = [](const char* stop) {
    auto scenario = learning(R"({"name": "local_sgd", "local_steps": 3})", 4, 0,
                             std::string(R"("data": {"train": 600, "test": 100},
                                "training": {"batch_size": 4, "init": "independent",
                                             "optimizer": {"type": "sgd", "learning_rate": 1e-30}}, "stop": )") +
                                 stop);
    scenario.model.name = "mlp";
    return run::run(scenario);
  };
  const auto before = averaged(R"({"time": "50ms"})"), after = averaged(R"({"iterations": 3})");
  std::vector<float> mean(before.weights[0].size());
  for (const auto& model : before.weights) {
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += model[k] / 4;
  }
  CHECK(*before.consensus_distance > 1);
  for (const auto& model : after.weights) CHECK(largest_difference(model, mean) < 1e-6);
  check_replicas_equal(after);
}

TEST_CASE("H local steps divide the traffic by H, and all but one exchange's time") {
  for (const int H : {1, 2, 4}) {
    const auto result = run::run(timing_only(fmt::format(R"({{"name": "local_sgd", "local_steps": {}}})", H), 4, 0,
                                             "0ms", R"({"iterations": 8})"));
    for (const run::PairRow& pair : result.pairs) CHECK(pair.bytes == 8 / H * 2.0 * 3 / 4 * 1e6);
    CHECK(result.simulated_s == doctest::Approx(8 * c + 8 / H * 1.5 * n_over_b).epsilon(0.01));
    CHECK(result.bounds.step_s == doctest::Approx(c + 1.5 * n_over_b / H));
  }
}

}  // namespace ddl::allreduce_laws_test

// All-reduces over uneven links and workers, of parts, and in rounds that not all workers take part in.
#include <doctest/doctest.h>

#include "tests/support/scenarios.hpp"

namespace ddl::allreduce_laws_test {

namespace {

constexpr double c = 0.1, n_over_b = 1.0;
constexpr int rounds = 5;

void check_replicas_equal(const run::RunResult& result) {
  for (const auto& weights : result.weights) CHECK(weights == result.weights[0]);
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

}  // namespace ddl::allreduce_laws_test

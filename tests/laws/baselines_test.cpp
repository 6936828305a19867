// One worker alone with all the data, on any platform, and every worker alone with its shard.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/scenarios.hpp"

namespace ddl::baselines_test {
namespace {

const std::string rest = R"("data": {"train": 300, "test": 100, "partition": "by_label"}, "stop": {"iterations": 12},
    "evaluate": {"every_iterations": 4},
    "training": {"batch_size": 10, "optimizer": {"type": "momentum", "learning_rate": 0.05}})";

double accuracy_at_the_end(const experiment::RunResult& result, const std::string& worker) {
  const auto row = std::find_if(result.curve.rbegin(), result.curve.rend(),
                                [&](const experiment::CurveRow& r) { return r.worker == worker; });
  REQUIRE(row != result.curve.rend());
  return row->test_accuracy;
}

}  // namespace

TEST_CASE("single learns on any platform what it learns on one host, to the bit, and sends nothing") {
  const auto one = runtime::run(learning(R"("single")", 1, 0, rest));
  for (const char* algorithm : {R"("single")", R"({"name": "single", "worker": "w2"})"}) {
    CAPTURE(algorithm);
    const auto four = runtime::run(learning(algorithm, 4, 1, rest));
    REQUIRE(four.weights.size() == 1);
    CHECK(four.weights[0] == one.weights[0]);
    CHECK(four.simulated_s == one.simulated_s);
    CHECK(four.epochs == one.epochs);
    CHECK(four.bytes_sent == 0);
    CHECK(accuracy_at_the_end(four, "mean") == accuracy_at_the_end(one, "mean"));
    CHECK(four.curve.size() / 6 == one.curve.size() / 3);  // as many evaluations
    const std::size_t trained = algorithm[1] == 's' ? 0 : 2;
    for (std::size_t worker = 0; worker < 4; ++worker) {
      CHECK(four.steps[worker] == (worker == trained ? 12 : 0));
      CHECK(four.compute_s[worker] == doctest::Approx(worker == trained ? 1.2 : 0.0));
    }
  }
}

TEST_CASE("single takes the time of the host that it is told, and its bound says so") {
  auto scenario = learning(R"({"name": "single", "worker": "w1"})", 3, 0, rest);
  scenario.compute.slowdown = {{"w1", 3}, {"w2", 50}};
  const auto result = runtime::run(scenario);
  CHECK(result.simulated_s == doctest::Approx(12 * 0.3));
  CHECK(result.bounds.step_s == doctest::Approx(0.3));
}

TEST_CASE("samples and epochs of single are of the one that trains") {
  auto scenario = learning(R"("single")", 4, 0, rest);
  scenario.stop = {};
  scenario.stop.epochs = 2;
  const auto result = runtime::run(scenario);
  CHECK(result.stopped_by == "epochs");
  CHECK(result.steps == std::vector<std::int64_t>{60, 0, 0, 0});
}

TEST_CASE("single needs no sample for each worker, and no crash of an idle one stops it") {
  const auto few = runtime::run(learning(R"("single")", 40, 0, R"("data": {"train": 20, "test": 10},
      "training": {"batch_size": 5, "optimizer": {"type": "sgd", "learning_rate": 0.1}}, "stop": {"iterations": 3})"));
  CHECK(few.steps[0] == 3);
  const auto crash = runtime::run(
      learning(R"("single")", 3, 0, rest + R"(, "faults": [{"type": "host_crash", "host": "w1", "at": "250ms"}])"));
  CHECK(crash.stopped_by == "iterations");
  CHECK(crash.simulated_s == doctest::Approx(1.2));
}

TEST_CASE("single on a worker that there is not is refused by name") {
  const auto refusal = [](auto&& run) -> std::string {
    try {
      run();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  const std::string text = refusal([] { learning(R"({"name": "single", "worker": "w9"})", 3, 0, rest); });
  CHECK(text.find("$.algorithm.worker: \"w9\" is no worker of the platform; expected one such as \"w0\"") !=
        std::string::npos);
}

TEST_CASE("alone each worker learns from its own shard, as it would without the others") {
  const auto alone = runtime::run(learning(R"("alone")", 3, 0, rest));
  CHECK(alone.bytes_sent == 0);
  CHECK(alone.steps == std::vector<std::int64_t>(3, 12));
  CHECK(alone.simulated_s == doctest::Approx(1.2));
  // Ako whose first message takes longer than all its steps applies whole gradients of its own, and no other.
  auto apart = learning(R"({"name": "ako", "partitions": 1})", 3, 0, rest);
  apart.training.gradient_scale = GradientScale::sum;
  apart.wire.model_bytes = Bytes{1e9};
  CHECK(alone.weights == runtime::run(apart).weights);
  // Shards by label: what a worker has never seen it cannot tell.
  const auto one = runtime::run(learning(R"("single")", 3, 0, rest));
  CHECK(accuracy_at_the_end(alone, "w0") < accuracy_at_the_end(one, "mean"));
}

}  // namespace ddl::baselines_test

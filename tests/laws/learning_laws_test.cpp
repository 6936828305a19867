// Equalities between training systems that hold whatever the data: the simulator must not change the mathematics.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "sim/results/writing/result_files.hpp"
#include "sim/run/learning/trainer.hpp"
#include "tests/support/scenarios.hpp"
#include "tests/support/systems.hpp"

namespace ddl::learning_laws_test {

namespace {

run::RunResult run_jittered(scenario::Scenario scenario) {
  scenario.compute.jitter = 0.3;
  return run::run(scenario);
}

}  // namespace

TEST_CASE("with the whole training set each, workers draw all of it, and no two the same batches") {
  const auto scenario = learning(R"("alone")", 3, 0,
                                 R"("data": {"train": 60, "test": 100, "partition": "full"}, "stop": {"iterations": 6},
                                    "training": {"batch_size": 10}, "record": {"batches": true})");
  const run::RunResult result = run::run(scenario);
  std::vector<std::vector<int>> passes(3);
  for (const auto& batch : result.recorded.batches) {
    std::istringstream samples(batch.samples);
    for (int sample = 0; samples >> sample;) passes[static_cast<std::size_t>(batch.worker)].push_back(sample);
  }
  CHECK(passes[0] != passes[1]);
  CHECK(passes[1] != passes[2]);
  CHECK(passes[0] != passes[2]);
  std::vector<int> all(60);
  std::iota(all.begin(), all.end(), 0);
  for (auto& pass : passes) {
    std::ranges::sort(pass);
    CHECK(pass == all);
  }
}

TEST_CASE("the training accuracy of the first step is that of equal outputs: the share of class 0") {
  // The output layer starts at zero, and the first of equal outputs counts.
  const auto scenario = learning(R"("single")", 1, 0, R"("data": {"train": 64, "test": 100}, "stop": {"iterations": 1},
                                                         "training": {"batch_size": 64})");
  const auto labels = run::load_data(scenario).train.labels;
  const auto of_class_0 = static_cast<double>(std::ranges::count(labels, 0));
  CHECK(run::run(scenario).iterations.at(0).train_accuracy == of_class_0 / 64);
}

TEST_CASE("a loss that is not known yet counts as equal, not as perfect") {
  // Before any worker has a loss, overlapping loss-weighted exchanges are plain halves.
  const auto first_exchange = [](const char* merge) {
    auto scenario =
        learning(std::string(R"({"name": "gossip", "order": "overlap", "peer": "ring", "merge": ")") + merge + "\"}", 3,
                 0, R"("data": {"train": 300, "test": 50}, "stop": {"iterations": 1},
                                      "training": {"init": "independent"})");
    scenario.model.name = "mlp";
    return run::run(scenario).weights;
  };
  CHECK(first_exchange("loss_weighted") == first_exchange("half"));
}

TEST_CASE("Ako on arrival: once the network has drained every replica has every gradient, merged or not") {
  // P = 1 leaves nothing unsent. The replicas then differ only in the order of their additions.
  for (const char* overflow : {"block", "merge"}) {
    CAPTURE(overflow);
    auto scenario = learning(
        fmt::format(R"({{"name": "ako", "partitions": 1, "apply": "on_arrival", "overflow": "{}"}})", overflow), 3, 0,
        R"("data": {"train": 300, "test": 100}, "stop": {"iterations": 60}, "wire": {"model_bytes": "5MB"},
                                "training": {"batch_size": 10, "optimizer": {"type": "sgd", "learning_rate": 0.05}})");
    const auto result = run_jittered(scenario);
    for (const int other : {1, 2}) {
      CHECK(largest_difference(result.weights[0], result.weights[static_cast<std::size_t>(other)]) < 1e-5);
    }
    // Half a second for a message and a tenth for a gradient: merging sends fewer messages than gradients.
    const std::int64_t gradients_sent = 3 * 60 * 2;
    CHECK((result.messages_sent < gradients_sent / 2) == (std::string(overflow) == "merge"));
  }
}

TEST_CASE("evaluating often or seldom changes neither time nor weights") {
  const auto with = [](const char* every) {
    return run::run(
        learning(R"({"name": "ako", "partitions": 2})", 3, 0,
                 std::string(R"("data": {"train": 600, "test": 200}, "stop": {"time": "4s"}, "evaluate": )") + every));
  };
  const auto often = with(R"({"every": "100ms"})"), seldom = with(R"({"every": "3s"})"),
             by_steps = with(R"({"every_iterations": 7})");
  CHECK(often.weights == seldom.weights);
  CHECK(often.weights == by_steps.weights);
  CHECK(often.bytes_sent == seldom.bytes_sent);
  CHECK(often.curve.size() == 41 * 5);  // 0, 0.1 ... 4 s: three workers, the mean, the averaged model
}

TEST_CASE("neither threads nor repetition change a bit, the seed does") {
  std::vector<std::string> algorithms = {
      R"({"name": "ako", "partitions": 3})",
      R"({"name": "sgp", "overlap": true})",
      R"({"name": "choco", "codec": "random_k"})",
      R"({"name": "ako", "partitions": 2, "staleness_bound": 1,
          "tf_ako": {"publish": "blocking", "clock": "ping_pong", "receive_threads": 2, "receive_time": "3ms"}})",
      R"({"name": "gossip", "threshold": "signed_mean", "error_feedback": true, "merge": "loss_weighted",
          "timeout": "6ms"})",
      R"({"name": "fedavg", "local_steps": 3, "sampled": 2})",
      R"({"name": "ps_ssp", "staleness_bound": 1})",
      R"({"name": "ps_sync", "backup_workers": 1})"};
  for (const std::string& name : names_of_systems(4, 1)) algorithms.push_back(quoted(name));
  for (const std::string& algorithm : algorithms) {
    CAPTURE(algorithm);
    auto scenario = learning(algorithm, 4, 1, R"("data": {"train": 800, "test": 200}, "stop": {"time": "5s"})");
    scenario.compute.jitter = 0.3;
    const auto digest = [&](int threads) {
      return results::digest_of(run::run(scenario, {.threads = threads, .progress = {}}));
    };
    const std::string first = digest(1);
    CHECK(digest(1) == first);
    CHECK(digest(2) == first);
    CHECK(digest(5) == first);
    scenario.seed = 2;
    CHECK(digest(2) != first);
  }
}

TEST_CASE("each worker's compute times, and all initial weights, stay the same when a worker joins") {
  const std::string rest = R"("data": {"train": 800, "test": 100}, "stop": {"iterations": 10})";
  auto three = learning(R"({"name": "gossip", "peer": "ring"})", 3, 0, rest);
  auto four = learning(R"({"name": "gossip", "peer": "ring"})", 4, 0, rest);
  three.compute.jitter = four.compute.jitter = 0.3;
  const auto a = run::run(three), b = run::run(four);
  for (std::size_t row = 0; row < 30; ++row) CHECK(a.iterations[row].compute_s == b.iterations[row].compute_s);
  CHECK(a.curve[0].test_loss == b.curve[0].test_loss);
}

}  // namespace ddl::learning_laws_test

// --- one worker alone with all the data, on any platform, and every worker alone with its shard ---

namespace ddl::baselines_test {
namespace {

const std::string rest = R"("data": {"train": 300, "test": 100, "partition": "by_label"}, "stop": {"iterations": 12},
    "evaluate": {"every_iterations": 4},
    "training": {"batch_size": 10, "optimizer": {"type": "momentum", "learning_rate": 0.05}})";

double accuracy_at_the_end(const run::RunResult& result, const std::string& worker) {
  const auto row = std::find_if(result.curve.rbegin(), result.curve.rend(),
                                [&](const run::CurveRow& r) { return r.worker == worker; });
  REQUIRE(row != result.curve.rend());
  return *row->test_accuracy;
}

}  // namespace

TEST_CASE("single learns on any platform what it learns on one host, to the bit, and sends nothing") {
  const auto one = run::run(learning(R"("single")", 1, 0, rest));
  for (const char* algorithm : {R"("single")", R"({"name": "single", "worker": "w2"})"}) {
    CAPTURE(algorithm);
    const auto four = run::run(learning(algorithm, 4, 1, rest));
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
  const auto result = run::run(scenario);
  CHECK(result.simulated_s == doctest::Approx(12 * 0.3));
  CHECK(result.bounds.step_s == doctest::Approx(0.3));
}

TEST_CASE("samples and epochs of single are of the one that trains") {
  auto scenario = learning(R"("single")", 4, 0, rest);
  scenario.stop = {};
  scenario.stop.epochs = 2;
  const auto result = run::run(scenario);
  CHECK(result.stopped_by == "epochs");
  CHECK(result.steps == std::vector<std::int64_t>{60, 0, 0, 0});
}

TEST_CASE("single needs no sample for each worker, and no crash of an idle one stops it") {
  const auto few = run::run(learning(R"("single")", 40, 0, R"("data": {"train": 20, "test": 10},
      "training": {"batch_size": 5, "optimizer": {"type": "sgd", "learning_rate": 0.1}}, "stop": {"iterations": 3})"));
  CHECK(few.steps[0] == 3);
  const auto crash = run::run(
      learning(R"("single")", 3, 0, rest + R"(, "faults": [{"type": "host_crash", "host": "w1", "at": "250ms"}])"));
  CHECK(crash.stopped_by == "iterations");
  CHECK(crash.simulated_s == doctest::Approx(1.2));
}

TEST_CASE("single on a worker that there is not is refused by name") {
  CHECK_THROWS_WITH(
      learning(R"({"name": "single", "worker": "w9"})", 3, 0, rest),
      doctest::Contains("$.algorithm.worker: \"w9\" is no worker of the platform; expected one such as \"w0\""));
}

TEST_CASE("alone each worker learns from its own shard, as it would without the others") {
  const auto alone = run::run(learning(R"("alone")", 3, 0, rest));
  CHECK(alone.bytes_sent == 0);
  CHECK(alone.steps == std::vector<std::int64_t>(3, 12));
  CHECK(alone.simulated_s == doctest::Approx(1.2));
  // Ako whose first message takes longer than all its steps applies whole gradients of its own, and no other.
  auto apart = learning(R"({"name": "ako", "partitions": 1})", 3, 0, rest);
  apart.training.gradient_scale = GradientScale::sum;
  apart.wire.model_bytes = Bytes{1e9};
  CHECK(alone.weights == run::run(apart).weights);
  // Shards by label: a worker cannot recognise classes that it has never seen.
  const auto one = run::run(learning(R"("single")", 3, 0, rest));
  CHECK(accuracy_at_the_end(alone, "w0") < accuracy_at_the_end(one, "mean"));
}

}  // namespace ddl::baselines_test

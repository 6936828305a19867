// Bounded staleness, backup workers, staleness-aware steps and federated averaging.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/node/vectors.hpp"
#include "examples/easgd/easgd.hpp"
#include "sim/results/writing/result_files.hpp"
#include "sim/run/learning/trainer.hpp"
#include "tests/laws/one_round.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::server_laws_test {

namespace {

const std::string plain_sgd = R"("training": {"batch_size": 10, "optimizer": {"type": "sgd", "learning_rate": 0.2}})";
const std::string small_data = R"("data": {"train": 400, "test": 50}, )";

// Workers of different, varying speeds.
scenario::Scenario uneven(const std::string& algorithm, int servers, const std::string& stop) {
  auto scenario = learning(algorithm, 4, servers, small_data + plain_sgd + R"(, "stop": )" + stop);
  scenario.compute.jitter = 0.3;
  scenario.compute.slowdown = {{"w1", 3}, {"w2", 1.5}};
  return scenario;
}

std::string ssp(std::int64_t bound, const char* overlap = "none") {
  return fmt::format(R"({{"name": "ps_ssp", "staleness_bound": {}, "overlap": "{}"}})", bound, overlap);
}

// The most steps a worker had finished more than another when it finished one.
std::int64_t largest_lead(const run::RunResult& result) {
  std::int64_t largest = 0;
  for (const run::IterationRow& row : result.iterations) {
    for (int other = 0; other < result.workers; ++other) {
      const auto finished = std::ranges::count_if(result.iterations, [&](const run::IterationRow& of_other) {
        return of_other.worker == other && of_other.end_s <= row.end_s;
      });
      largest = std::max(largest, row.iteration + 1 - static_cast<std::int64_t>(finished));
    }
  }
  return largest;
}

}  // namespace

TEST_CASE("no worker gets more than s + 1 steps ahead, and some get as far as that") {
  for (const int servers : {1, 2}) {
    for (const char* overlap : {"none", "layers"}) {
      for (const int bound : {0, 1, 4}) {
        for (const double bandwidth : {0.01, 1.0, 100.0}) {
          auto scenario = uneven(ssp(bound, overlap), servers, R"({"iterations": 30})");
          scenario.model = three_layers();
          scenario.platform.bandwidth_factor = bandwidth;
          CAPTURE(overlap);
          CAPTURE(bandwidth);
          CHECK(largest_lead(run::run(scenario)) == bound + 1);
        }
      }
    }
    CHECK(largest_lead(run::run(uneven(R"("ps_async")", servers, R"({"iterations": 30})"))) > 10);
  }
}

TEST_CASE("a staleness bound of 0 makes the rounds of a synchronous server") {
  const auto bounded = run::run(uneven(ssp(0), 1, R"({"iterations": 20})"));
  const auto synchronous = run::run(uneven(R"("ps_sync")", 1, R"({"iterations": 20})"));
  // The same gradients, added to the weights one by one instead of as a sum.
  CHECK(largest_difference(bounded.weights[0], synchronous.weights[0]) < 1e-5);
  CHECK(bounded.bytes_sent == synchronous.bytes_sent);
  CHECK(bounded.simulated_s == doctest::Approx(synchronous.simulated_s).epsilon(1e-9));
  REQUIRE(bounded.iterations.size() == synchronous.iterations.size());
  std::vector<double> staleness(20);
  for (std::size_t row = 0; row < bounded.iterations.size(); ++row) {
    CHECK(bounded.iterations[row].end_s == doctest::Approx(synchronous.iterations[row].end_s).epsilon(1e-9));
    CHECK(synchronous.iterations[row].staleness == 0);
    staleness[static_cast<std::size_t>(bounded.iterations[row].iteration)] += bounded.iterations[row].staleness;
  }
  // Only gradients of the same round come before another: 0, 1, 2 and 3 of them.
  for (const double sum : staleness) CHECK(sum == 0 + 1 + 2 + 3);
}

TEST_CASE("a staleness-aware server divides the step by the staleness") {
  // Three workers pull w together. The second gradient's staleness of 1 divides nothing, the third is halved.
  const auto after_one_step = [](const char* algorithm) {
    auto scenario = learning(algorithm, 3, 1, small_data + plain_sgd + R"(, "stop": {"iterations": 1})");
    scenario.compute.slowdown = {{"w1", 2}, {"w2", 3}};
    return run::run(scenario).weights[0];
  };
  const auto start = [] {
    auto scenario = learning(R"("ps_async")", 3, 1, small_data + plain_sgd + R"(, "stop": {"time": "1ms"})");
    return run::run(scenario).weights[0];
  }();
  const auto third_alone = [] {
    auto scenario = learning(R"("ps_async")", 3, 1, small_data + plain_sgd + R"(, "stop": {"time": "150ms"})");
    scenario.compute.slowdown = {{"w0", 1000}, {"w1", 1000}};
    return run::run(scenario).weights[0];
  }();
  const auto whole = after_one_step(R"("ps_async")");
  for (const char* algorithm : {R"({"name": "ps_async", "staleness_aware": true})",
                                R"({"name": "ps_ssp", "staleness_bound": 9, "staleness_aware": true})"}) {
    auto expected = whole;
    for (std::size_t k = 0; k < expected.size(); ++k) expected[k] -= (third_alone[k] - start[k]) / 2;
    CHECK(largest_difference(whole, expected) > 1e-4);
    CHECK(largest_difference(after_one_step(algorithm), expected) < 1e-6);
  }
}

TEST_CASE("a round with backup workers does not wait for a straggler") {
  // w3 needs 30 s for a gradient.
  const auto rounds_of = [](const char* algorithm) {
    auto scenario = timing_only(algorithm, 4, 1, "0ms", R"({"time": "60s"})");
    scenario.compute.slowdown = {{"w3", 300}};
    return run::run(scenario);
  };
  const auto waiting = rounds_of(R"("ps_sync")");
  const auto cut = rounds_of(R"({"name": "ps_sync", "backup_workers": 1})");
  CHECK(waiting.steps ==
        std::vector<std::int64_t>{2, 2, 2, 1});  // a round: four pulls, 30 s of w3's gradient, its push
  // 0.1 s of gradient, three pulls and three pushes; of w3's, two pulls and a push are under way beside them.
  const double round_s = 0.1 + 6;
  CHECK(static_cast<double>(cut.steps[0]) >= (60 - 3) / round_s - 1);
  CHECK(static_cast<double>(cut.steps[0]) <= 60 / round_s + 1);
  CHECK(cut.steps[3] == 1);
  for (const run::IterationRow& row : cut.iterations) CHECK((row.staleness > 0) == (row.worker == 3));
}

TEST_CASE("gradients dropped by backup workers have no effect on the weights") {
  // w3's only gradient comes after the round of the other three, which stop after it.
  const auto cut = one_round(R"({"name": "ps_sync", "backup_workers": 1})");
  const auto all = one_round(R"("ps_sync")");
  CHECK(cut.steps == std::vector<std::int64_t>(4, 1));
  CHECK(cut.bytes_sent == all.bytes_sent);
  CHECK(largest_difference(cut.weights[0], all.weights[0]) > 1e-3);
  CHECK(largest_difference(cut.weights[0], three_batches_as_one().weights[0]) < 1e-6);
}

// McMahan et al., algorithm 1: workers of unequal shards. In one round of a step a worker does the same as alone.
TEST_CASE("federated averaging weighs a model by its worker's samples, or as every other") {
  const auto after_a_round = [](const std::string& algorithm) {
    return learning(algorithm, 4, 1, R"("data": {"train": 400, "test": 50, "partition": "dirichlet", "alpha": 0.3},
        "training": {"batch_size": 4, "optimizer": {"learning_rate": 0.1}}, "stop": {"iterations": 1})");
  };
  const auto alone = after_a_round("\"alone\"");
  const auto samples = run::Trainer(alone, all_of(4), 1).shard_samples();
  REQUIRE(std::ranges::max(samples) > std::ranges::min(samples));
  const auto models = run::run(alone).weights;
  for (const bool by_samples : {true, false}) {
    std::vector<float> expected(models.front().size());
    for (std::size_t worker = 0; worker < 4; ++worker) {
      const double weight = by_samples ? static_cast<double>(samples[worker]) / 400 : 0.25;
      add_scaled(expected, models[worker], static_cast<float>(weight));
    }
    const auto result = run::run(after_a_round(
        fmt::format(R"({{"name": "fedavg", "local_steps": 1, "weigh": "{}"}})", by_samples ? "samples" : "workers")));
    CHECK(largest_difference(result.weights.front(), expected) < 1e-6);
  }
}

TEST_CASE("a round of local epochs has as many steps as a worker's shard has minibatches") {
  const auto scenario = learning(R"({"name": "fedavg", "local_epochs": 2})", 4, 1,
                                 R"("data": {"train": 400, "test": 50, "partition": "dirichlet", "alpha": 0.3},
                                    "training": {"batch_size": 4}, "stop": {"time": "100s"}, "evaluate": {"every": "50s"})");
  const auto samples = run::Trainer(scenario, all_of(4), 1).shard_samples();
  const auto result = run::run(scenario);
  for (std::size_t worker = 0; worker < 4; ++worker) {  // the slowest worker's rounds are everybody's
    const double rounds = 100 / (static_cast<double>(std::ranges::max(samples)) / 4 * 2 * 0.1);
    CHECK(static_cast<double>(result.steps[worker]) ==
          doctest::Approx(rounds * 2 * std::floor(static_cast<double>(samples[worker]) / 4)).epsilon(0.25));
  }
}

TEST_CASE("a share of all workers is 1.0, and 1 is one worker") {
  for (const auto& [sampled, expected] : {std::pair("1.0", 4), std::pair("1", 1), std::pair("0.5", 2)}) {
    CAPTURE(sampled);
    const auto result =
        run::run(timing_only(fmt::format(R"({{"name": "fedavg", "local_steps": 5, "sampled": {}}})", sampled), 4, 1,
                             "0ms", R"({"time": "30s"})"));
    double first_s = 30;  // the end of the first steps, of all workers in the first round
    for (const run::IterationRow& row : result.iterations) first_s = std::min(first_s, row.end_s);
    CHECK(std::ranges::count_if(result.iterations, [&](const auto& row) { return row.end_s < first_s + 1e-6; }) ==
          expected);
  }
}

TEST_CASE("a round of federated averaging moves two models for each sampled worker") {
  constexpr int m = 2;
  for (const char* sampled : {"2", "0.25"}) {  // two of eight
    const auto result =
        run::run(timing_only(fmt::format(R"({{"name": "fedavg", "local_steps": 5, "sampled": {}}})", sampled), 8, 1,
                             "0ms", R"({"time": "46s"})"));
    // Five gradients, m models down and as many up take 4.5 s, which fit ten times into 46 s.
    CHECK(result.bytes_delivered == 10.0 * 2 * m * 1e6);
    std::int64_t steps = 0, taking_part = 0;
    for (const std::int64_t of_worker : result.steps) {
      CHECK(of_worker % 5 == 0);
      steps += of_worker;
      taking_part += of_worker > 0 ? 1 : 0;
    }
    CHECK(steps == 10 * m * 5);
    CHECK(taking_part > m);  // not always the same
  }
}

TEST_CASE("federated averaging sends no model once the run has its samples") {
  // 50 steps are five rounds of two workers with five steps each; each of the ten takes a model and returns one.
  auto scenario =
      timing_only(R"({"name": "fedavg", "local_steps": 5, "sampled": 2})", 8, 1, "0ms", R"({"samples": 1600})");
  scenario.training.batch_size = 32;
  const auto result = run::run(scenario);
  CHECK(result.samples == 1600);
  CHECK(result.bytes_sent == 20 * 1e6);
  double last_step_s = 0;
  for (const run::IterationRow& row : result.iterations) last_step_s = std::max(last_step_s, row.end_s);
  CHECK(result.simulated_s < last_step_s + 2.1);  // a model over 1 MB/s, from two workers at once
}

TEST_CASE("federated averaging weighs each model by the samples in it") {
  const auto trained = [](const char* algorithm, int servers, const char* stop) {
    auto scenario = learning(algorithm, 2, servers, small_data + plain_sgd + R"(, "stop": )" + stop);
    scenario.compute.slowdown = {{"w1", 4.2}};
    return run::run(scenario);
  };
  // The batches run out in the first round, when w1 ends its second and w0 is at its ninth, which is cut short.
  const auto averaged = trained(R"({"name": "fedavg", "local_steps": 20})", 1, R"({"samples": 100})");
  REQUIRE(averaged.steps == std::vector<std::int64_t>{8, 2});
  // The same steps, before anything is averaged.
  const auto alone = [&](const char* time, int worker, std::int64_t steps) {
    const auto result = trained(R"({"name": "local_sgd", "local_steps": 20})", 0, time);
    REQUIRE(result.steps[static_cast<std::size_t>(worker)] == steps);
    return result.weights[static_cast<std::size_t>(worker)];
  };
  const auto first = alone(R"({"time": "970ms"})", 0, 9), second = alone(R"({"time": "970ms"})", 1, 2);
  auto expected = first;
  for (std::size_t k = 0; k < expected.size(); ++k) expected[k] = (9 * first[k] + 2 * second[k]) / 11;
  CHECK(largest_difference(averaged.weights[0], expected) < 1e-6);
  CHECK(largest_difference(averaged.weights[0], first) > 1e-3);
}

TEST_CASE("a run ends after its servers' work on the last gradients") {
  // All gradients arrive at the same time, each takes the server 50 ms, and the workers' leave arrives 1 ms later.
  const auto with = [](const std::string& algorithm) {
    return run::run(learning(algorithm, 4, 1,
                             R"("data": {"train": 400, "test": 50}, "stop": {"iterations": 1},
                           "training": {"batch_size": 10, "optimizer": {"type": "sgd", "learning_rate": 0.2}})"));
  };
  for (const std::string name : {"ps_async", "ps_sync", "ps_ssp"}) {
    CAPTURE(name);
    const auto at_once = with("\"" + name + "\"");
    const auto working = with(R"({"name": ")" + name + R"(", "update_time": "50ms"})");
    CHECK(working.weights == at_once.weights);
    CHECK(working.simulated_s - at_once.simulated_s == doctest::Approx(4 * 0.05 - 0.001));
  }
}

// Elastic averaging judged by the workers' own models, and by one worker's.
struct JudgedByWorkers : SystemOf<JudgedByWorkers, elastic::EasgdParams> {
  static constexpr SystemFacts facts = elastic::EasgdParams::facts;
  std::vector<int> model_holders(const Cluster&) const override { return {}; }
};
struct JudgedByTheSecond : SystemOf<JudgedByTheSecond, elastic::EasgdParams> {
  static constexpr SystemFacts facts = elastic::EasgdParams::facts;
  std::vector<int> model_holders(const Cluster&) const override { return {1}; }
};

TEST_CASE("a system says which nodes hold the model that a run is judged by") {
  const auto run = [](systems::SystemChoice system, int servers) {
    auto scenario =
        learning(R"("ps_async")", 3, servers, R"("data": {"train": 300, "test": 100}, "stop": {"iterations": 8})");
    scenario.algorithm = std::move(system);
    return run::run(scenario);
  };
  const auto last = [](const run::RunResult& result, const std::string& worker) {
    const auto row = std::find_if(result.curve.rbegin(), result.curve.rend(),
                                  [&](const run::CurveRow& of) { return of.worker == worker; });
    return *row->test_loss;
  };
  for (const int servers : {1, 2}) {
    const auto center = run(elastic::EasgdParams{}, servers), each = run(JudgedByWorkers{}, servers),
               second = run(JudgedByTheSecond{}, servers);
    REQUIRE(center.weights.size() == 1);
    CHECK(center.weights_at_servers);
    CHECK(last(center, "w0") == last(center, "w1"));
    REQUIRE(each.weights.size() == 3);
    CHECK_FALSE(each.weights_at_servers);
    CHECK(last(each, "w0") != last(each, "w1"));
    CHECK(each.weights[1] != center.weights[0]);
    CHECK(*each.consensus_distance > 0);
    CHECK(second.weights == std::vector<std::vector<float>>{each.weights[1]});
    for (const char* row : {"w0", "w1", "w2", "mean", "averaged_model"}) {
      CHECK(last(second, row) == last(each, "w1"));
    }
    CHECK(center.bytes_sent == each.bytes_sent);
    CHECK(center.simulated_s == second.simulated_s);
  }
}

// On slow links layers that the forward pass needs first overtake others, and so do their steps.
TEST_CASE("layer by layer a server that waits for all learns to the bit what it learns in blocks, and sooner") {
  for (const char* optimizer :
       {R"({"type": "sgd", "learning_rate": 0.2, "weight_decay": 0.01})",
        R"({"type": "adam", "learning_rate": 0.01, "warmup_steps": 4, "schedule": {"type": "steps", "at": [6]}})",
        R"({"type": "momentum", "learning_rate": 0.1, "schedule": {"type": "cosine", "steps": 8}})"}) {
    for (const int servers : {1, 2}) {
      for (const int workers : {1, 3}) {
        for (const double bandwidth : {0.01, 1.0}) {
          const auto after = [&](std::string system, const char* overlap) {
            auto scenario =
                learning(fmt::format(R"({{"name": {}, "overlap": "{}"}})", system, overlap), workers, servers,
                         small_data + R"("stop": {"iterations": 10}, "training": {"batch_size": 10, "optimizer": )" +
                             optimizer + "}");
            scenario.model = three_layers();
            scenario.platform.bandwidth_factor = bandwidth;
            scenario.compute.slowdown = {{"w0", 1.2}};
            return run::run(scenario);
          };
          const std::string ssp_of_none = R"("ps_ssp", "staleness_bound": 0)";
          for (const std::string& system : {std::string(R"("ps_sync")"), ssp_of_none}) {
            const auto block = after(system, "none"), layers = after(system, "layers");
            CAPTURE(system);
            CAPTURE(optimizer);
            CAPTURE(servers);
            CAPTURE(workers);
            CAPTURE(bandwidth);
            CHECK(layers.weights == block.weights);
            // If sending takes all the time, there is nothing to overlap it with.
            if (bandwidth == 1) CHECK(layers.simulated_s < block.simulated_s);
          }
          // One worker reads only its own steps, synchronous or not.
          if (workers == 1) {
            CHECK(after(R"("ps_async")", "layers").weights == after(R"("ps_sync")", "none").weights);
          }
        }
      }
    }
  }
}

TEST_CASE("with clip_norm servers exchange in blocks, whatever overlaps") {
  for (const char* system : {"ps_async", "ps_sync", "ps_ssp"}) {
    const auto with = [&](const char* overlap) {
      auto scenario = learning(fmt::format(R"({{"name": "{}", "overlap": "{}"}})", system, overlap), 3, 1,
                               small_data + R"("stop": {"iterations": 10}, "training": {"batch_size": 10,
                                  "optimizer": {"type": "adam", "learning_rate": 0.01, "clip_norm": 0.1}})");
      scenario.model = three_layers();
      return run::run(scenario);
    };
    const auto block = with("none"), layers = with("layers");
    CHECK(layers.weights == block.weights);
    CHECK(layers.simulated_s == block.simulated_s);
    CHECK(layers.messages_sent == block.messages_sent);
  }
}

TEST_CASE("layer by layer, what is pushed and what comes back use a link both ways") {
  for (const char* system : {"ps_async", "ps_sync", "ps_ssp"}) {
    const auto seconds = [&](const char* overlap) {
      auto scenario = timing_only(fmt::format(R"({{"name": "{}", "overlap": "{}"}})", system, overlap), 1, 1, "0ms",
                                  R"({"iterations": 20})");
      scenario.compute.layers = 24;
      return run::run(scenario).simulated_s / 20;
    };
    CHECK(seconds("none") == doctest::Approx(2 + 0.1).epsilon(0.01));  // a model takes a second each way
    CHECK(seconds("layers") >= 1);
    CHECK(seconds("layers") < 1 + 0.1 + 3.0 / 24);  // except the first layers and the last
  }
}

}  // namespace ddl::server_laws_test

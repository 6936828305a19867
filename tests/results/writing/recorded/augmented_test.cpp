// Runs with cropped and flipped training images: the changes, the invariants, and a complete record.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "core/data/dataset.hpp"
#include "sim/results/writing/result_files.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::augmented_test {
namespace {

constexpr double rate = 0.1;

scenario::Scenario scenario_of(const std::string& algorithm, int workers, bool augmented, int steps = 5,
                               int servers = 0) {
  return learning(algorithm, workers, servers,
                  fmt::format(R"("data": {{"train": 90, "test": 20, "augment": "{}"}},
                                 "training": {{"batch_size": 6, "optimizer": {{"type": "sgd", "learning_rate": {}}}}},
                                 "stop": {{"iterations": {}}}, "record": {{"batches": true, "draws": true}})",
                              augmented ? "crop_flip" : "none", rate, steps));
}

std::vector<std::string> batches_of(const run::RunResult& result) {
  std::vector<std::string> batches;
  for (const auto& batch : result.recorded.batches) batches.push_back(batch.samples);
  return batches;
}

std::vector<std::uint32_t> numbers_in(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t number = 0; stream >> number;) numbers.push_back(number);
  return numbers;
}

// A step of the softmax classifier from zeros, where all ten classes are equally likely: the gradient of weight (input,
// class) is the mean over samples of input times (1/10 - 1 if it is the class), and of a bias that without the input.
std::vector<float> after_one_step(const data::Batch& batch) {
  const std::size_t inputs = batch.inputs.size() / batch.size();
  std::vector<float> weights((inputs + 1) * 10);
  for (std::size_t sample = 0; sample < batch.size(); ++sample) {
    for (std::size_t unit = 0; unit < 10; ++unit) {
      const double error = (0.1 - (batch.labels[sample] == unit ? 1 : 0)) / static_cast<double>(batch.size());
      for (std::size_t input = 0; input <= inputs; ++input) {
        const double value = input < inputs ? static_cast<double>(batch.inputs[sample * inputs + input]) : 1;
        weights[input * 10 + unit] -= static_cast<float>(rate * error * value);
      }
    }
  }
  return weights;
}

}  // namespace

TEST_CASE("cropping and flipping leave shards and the order of minibatches as they are, and change what is learned") {
  for (const char* system : {"\"ring_allreduce\"", "\"single\"", R"({"name": "ako", "partitions": 2})"}) {
    const run::RunResult with = run::run(scenario_of(system, 3, true));
    const run::RunResult without = run::run(scenario_of(system, 3, false));
    CHECK(batches_of(with) == batches_of(without));
    CHECK(with.simulated_s == without.simulated_s);
    CHECK(with.bytes_sent == without.bytes_sent);
    CHECK(with.weights[0] != without.weights[0]);
    CHECK(without.recorded.draws.empty());
  }
}

TEST_CASE("a record's minibatch, seed and images make the step that was taken") {
  const scenario::Scenario scenario = scenario_of("\"alone\"", 3, true, 1);
  const run::RunResult result = run::run(scenario);
  const data::Dataset training = data::load_data(scenario.data, scenario.seed).train;
  REQUIRE(result.recorded.draws.size() == 3);
  REQUIRE(result.recorded.batches.size() == 3);
  for (std::size_t worker = 0; worker < 3; ++worker) {
    const auto& draw = result.recorded.draws[worker];
    CHECK(draw.node == static_cast<int>(worker));
    CHECK(draw.purpose == "augmentation");
    CHECK(draw.number == 0);
    data::Batch batch;
    const auto samples = numbers_in(result.recorded.batches[worker].samples);
    data::gather(training, samples, batch, Stream(std::stoull(draw.drawn)));
    CHECK(largest_difference(result.weights[worker], after_one_step(batch)) < 1e-6);
    data::gather(training, samples, batch);
    CHECK(largest_difference(result.weights[worker], after_one_step(batch)) > 1e-3);
  }
}

TEST_CASE("workers draw crops of their own, the same ones after more workers have come") {
  const auto seeds = [](int workers) {
    std::vector<std::string> drawn;
    for (const auto& draw : run::run(scenario_of("\"alone\"", workers, true)).recorded.draws) {
      drawn.push_back(draw.drawn);
    }
    return drawn;
  };
  const std::vector<std::string> three = seeds(3), five = seeds(5);
  REQUIRE(three.size() == 15);
  REQUIRE(five.size() == 25);
  CHECK(std::equal(three.begin(), three.end(), five.begin()));
  CHECK(std::set<std::string>(five.begin(), five.end()).size() == 25);
}

TEST_CASE("a model dealt over workers sees the crops that the whole one sees on one worker") {
  for (const char* system : {R"({"name": "vertical"})", R"({"name": "early_exit", "cuts": [2]})"}) {
    CAPTURE(system);
    const auto weights_of = [](const char* algorithm, int workers, bool augmented) {
      scenario::Scenario scenario = scenario_of(algorithm, workers, augmented);
      scenario.model = {.name = "mlp", .layers = {}};
      return run::run(scenario).weights.at(0);
    };
    const auto whole = weights_of("\"single\"", 1, true), plain = weights_of("\"single\"", 1, false);
    auto dealt = weights_of(system, 2, true);
    REQUIRE(dealt.size() >= whole.size());
    dealt.resize(whole.size());  // an exit's weights come last
    CHECK(largest_difference(dealt, whole) < 1e-5);
    CHECK(largest_difference(plain, whole) > 1e-3);
  }
}

TEST_CASE("members of an ensemble learn from cropped images, and are weighed by whole ones") {
  const auto first_member = [](bool augmented) {
    scenario::Scenario scenario = scenario_of(R"({"name": "samme", "local_epochs": 1})", 2, augmented, 60);
    return run::run(scenario).weights.at(0);
  };
  CHECK(first_member(true) != first_member(false));
}

TEST_CASE("a worker that restarts draws on, and threads change nothing") {
  scenario::Scenario scenario = scenario_of("\"ps_async\"", 3, true, 20, 1);
  scenario.faults.push_back(scenario_from(R"({"platform": {"workers": 3, "bandwidth": "8Mbps"}, "algorithm": "alone",
      "stop": {"iterations": 1}, "faults": [{"type": "host_crash", "host": "w1", "at": "1s", "restart": "1500ms"}]})")
                                .faults.at(0));
  const run::RunResult one = run::run(scenario, {.threads = 1});
  const run::RunResult four = run::run(scenario, {.threads = 4});
  CHECK(one.weights == four.weights);
  CHECK(results::digest_of(one) == results::digest_of(four));
  std::vector<std::string> of_w1;
  for (const auto& draw : one.recorded.draws) {
    if (draw.node == 1) of_w1.push_back(draw.drawn);
  }
  CHECK(of_w1.size() > 20);  // including the step cut short by the crash
  std::ranges::sort(of_w1);
  CHECK(std::ranges::adjacent_find(of_w1) == of_w1.end());
}

TEST_CASE("a model without numbers sees no images to crop") {
  CHECK_THROWS_WITH_AS(
      scenario_from(
          R"({"platform": {"workers": 1, "bandwidth": "1Mbps"}, "model": "none", "wire": {"model_bytes": "1MB"},
        "data": {"augment": "crop_flip"}, "compute": {"seconds_per_batch": "1s"}, "stop": {"iterations": 1},
        "algorithm": "alone"})"),
      doctest::Contains("$.data.augment: is given beside model \"none\"; expected \"none\""), scenario::ScenarioErrors);
}

}  // namespace ddl::augmented_test

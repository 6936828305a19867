// A model in stages with exits: it learns the same as the whole model, and its answers leave at the right exits, after
// the times of the stages and messages on their way.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "sim/results/writing/requests.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::early_exit_laws_test {

namespace {

const std::string net = R"({"layers": [
    {"type": "conv", "filters": 4}, {"type": "relu"}, {"type": "max_pool"}, {"type": "dropout", "rate": 0.1},
    {"type": "conv", "filters": 8}, {"type": "batch_norm"}, {"type": "relu"}, {"type": "max_pool"},
    {"type": "flatten"}, {"type": "dropout", "rate": 0.25}, {"type": "dense", "units": 10}]})";
// Layers as built: a relu is part of the convolution before it unless something is between them.
const std::string cuts = R"("cuts": [3, 7])";

scenario::Scenario staged(const std::string& algorithm, int workers, const std::string& model = net) {
  return scenario_from(fmt::format(
      R"({{"name": "law", "platform": {{"topology": "star", "workers": {}, "bandwidth": "80Mbps", "latency": "1ms", {}}},
          "data": {{"train": 300, "test": 100}}, "model": {}, "compute": {{"seconds_per_batch": "100ms", "jitter": 0}},
          "training": {{"batch_size": 25, "optimizer": {{"type": "momentum", "learning_rate": 0.02}}}},
          "algorithm": {}, "stop": {{"iterations": 12}}}})",
      workers, textbook, model, algorithm));
}

std::string exits(const std::string& rest) {
  return R"({"name": "early_exit", )" + cuts + R"(, "exit_filters": 4, "exit_learning_rate": 0.05, )" + rest + "}";
}

}  // namespace

TEST_CASE("a model in stages learns what the whole one learns on one worker, whatever its exits do") {
  const auto one = run::run(staged(R"("single")", 1));
  const auto stages = run::run(staged(exits(R"("thresholds": [0.5])"), 3));
  REQUIRE(stages.weights.size() == 1);
  CHECK(largest_difference(stages.weights[0], one.weights[0]) < 1e-6);
  CHECK(stages.samples == one.samples);
}

TEST_CASE("a step of a model in stages sends activations on and their gradients back") {
  const auto result = run::run(staged(exits(R"("thresholds": [0.5])"), 3));
  const double first = 4 * 6 * 6, second = 8 * 3 * 3, batch = 25, steps = 12;
  REQUIRE(result.pairs.size() >= 4);
  CHECK(result.bytes_sent == steps * batch * 4 * 2 * (first + second));
}

TEST_CASE("at threshold 0 everything goes the whole way and is as accurate, and at 1 nothing leaves the device") {
  const auto result = run::run(staged(exits(R"("thresholds": [0, 1], "serving": {"requests": 100})"), 3));
  const auto summaries = results::summarise_requests(result.answers);
  REQUIRE(summaries.size() == 2);
  CHECK(summaries[0].accuracy == doctest::Approx(*result.curve.back().test_accuracy));
  REQUIRE(summaries[0].exits.size() == 1);
  CHECK(summaries[0].exits[0].node == 2);
  const double first = 4 * 4 * 6 * 6, second = 4 * 8 * 3 * 3;
  CHECK(summaries[0].bytes_per_request == doctest::Approx(first + second + 4));
  // No exit is asked: a third of a gradient of one sample, and three messages at 10 MB/s and a millisecond.
  const double way = 0.1 / 3 / 25 + (first + second + 4) / 10e6 + 3 * 0.001;
  CHECK(summaries[0].latency_s.min == doctest::Approx(way).epsilon(1e-4));
  CHECK(summaries[0].latency_s.max == doctest::Approx(way).epsilon(1e-4));
  REQUIRE(summaries[1].exits.size() == 1);
  CHECK(summaries[1].exits[0].node == 0);
  CHECK(summaries[1].bytes_per_request == 0);
  // The first convolution, and an exit of a convolution and a dense layer, beside the operations of the whole.
  const double stage = 12 * 12 * 9 * 4, exit = 6 * 6 * 9 * 4 * 4 + 6 * 6 * 4 * 10;
  const double all = stage + 6 * 6 * 9 * 4 * 8 + 2 * 6 * 6 * 8 + 3 * 3 * 8 * 10;
  CHECK(summaries[1].latency_s.median == doctest::Approx(0.1 / 3 / 25 * (stage + exit) / all).epsilon(1e-4));
}

TEST_CASE(
    "accuracy is the mean of the exits', weighed by their shares, and fewer leave early the lower the threshold") {
  for (const char* uncertainty : {"entropy", "confidence"}) {
    const auto result = run::run(staged(
        exits(fmt::format(
            R"("uncertainty": "{}", "thresholds": [0.3, 0.6, 0.9], "serving": {{"requests": 150, "arrivals": "poisson",
            "interval": "2ms"}})",
            uncertainty)),
        3));
    const auto summaries = results::summarise_requests(result.answers);
    REQUIRE(summaries.size() == 3);
    double at_device_before = 0;
    for (const results::RequestSummary& summary : summaries) {
      double weighed = 0, shares = 0, at_device = 0;
      for (const results::ExitSummary& exit : summary.exits) {
        weighed += exit.share * exit.accuracy;
        shares += exit.share;
        if (exit.node == 0) at_device = exit.share;
      }
      CHECK(shares == doctest::Approx(1));
      CHECK(summary.accuracy == doctest::Approx(weighed));
      CHECK(at_device >= at_device_before);
      at_device_before = at_device;
    }
  }
}

TEST_CASE("without thresholds each exit answers all samples, as it does those that leave there at a threshold") {
  const auto in_turn = run::run(staged(exits(R"("thresholds": [], "serving": {"requests": 100})"), 3));
  const auto mixed = run::run(staged(exits(R"("thresholds": [0, 0.98, 0.99, 1], "serving": {"requests": 100})"), 3));
  REQUIRE(in_turn.answers.size() == 3 * 100);
  std::size_t next = 0;
  for (int exit = 0; exit < 3; ++exit) {
    for (int request = 0; request < 100; ++request, ++next) {
      CHECK(in_turn.answers[next].exit == exit);
      CHECK(in_turn.answers[next].request == request);
      CHECK_FALSE(in_turn.answers[next].threshold);
    }
  }
  std::array<int, 3> left = {};
  for (const Answer& answer : mixed.answers) {
    const auto exit = static_cast<std::size_t>(answer.exit);
    const Answer& same = in_turn.answers[100 * exit + static_cast<std::size_t>(answer.request)];
    CHECK(same.correct == answer.correct);
    CHECK(same.bytes == answer.bytes);
    ++left[exit];
  }
  for (const int count : left) CHECK(count > 0);
  const auto summaries = results::summarise_requests(in_turn.answers);
  REQUIRE(summaries.size() == 1);
  REQUIRE(summaries[0].exits.size() == 3);
  for (std::size_t exit = 0; exit < 3; ++exit) {
    const auto first = in_turn.answers.begin() + static_cast<std::ptrdiff_t>(100 * exit);
    const auto right = std::count_if(first, first + 100, [](const Answer& answer) { return answer.correct; });
    CHECK(summaries[0].exits[exit].accuracy == doctest::Approx(static_cast<double>(right) / 100));
  }
  // The end's are those of the model itself.
  CHECK(summaries[0].exits[2].accuracy == doctest::Approx(*in_turn.curve.back().test_accuracy));
}

TEST_CASE("a stage without layers has no turn among exits that answer all") {
  const auto result =
      run::run(staged(R"({"name": "early_exit", "cuts": [0, 3], "thresholds": [], "serving": {"requests": 10}})", 3));
  REQUIRE(result.answers.size() == 20);
  for (std::size_t i = 0; i < 20; ++i) CHECK(result.answers[i].exit == (i < 10 ? 1 : 2));
}

TEST_CASE("a stage without layers hands the samples on, and has no exit") {
  const auto result =
      run::run(staged(R"({"name": "early_exit", "cuts": [0, 3], "thresholds": [1], "serving": {"requests": 10}})", 3));
  for (const Answer& answer : result.answers) {
    CHECK(answer.exit == 1);
    CHECK(answer.bytes == 4 * 12 * 12 + 4);
  }
}

}  // namespace ddl::early_exit_laws_test

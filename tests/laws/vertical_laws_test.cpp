// One model divided over workers: it learns the same as the whole model on one worker, and its times and bytes are
// those of the pieces that travel.
#include <doctest/doctest.h>

#include "tests/support/scenarios.hpp"

namespace ddl::vertical_laws_test {

namespace {

const std::string conv_net = R"({"layers": [
    {"type": "conv", "filters": 8, "kernel": 5}, {"type": "relu"}, {"type": "max_pool"},
    {"type": "conv", "filters": 8, "groups": 4}, {"type": "batch_norm"}, {"type": "relu"}, {"type": "max_pool"},
    {"type": "flatten"}, {"type": "dense", "units": 16}, {"type": "relu"}, {"type": "dropout", "rate": 0.25},
    {"type": "dense", "units": 10}]})";

scenario::Scenario of_model(const std::string& algorithm, int workers, const std::string& model,
                            const std::string& optimizer) {
  return scenario_from(fmt::format(
      R"({{"name": "law", "platform": {{"topology": "star", "workers": {}, "bandwidth": "80Mbps", "latency": "1ms", {}}},
          "data": {{"train": 300, "test": 100}}, "model": {}, "compute": {{"seconds_per_batch": "100ms", "jitter": 0}},
          "training": {{"batch_size": 25, "optimizer": {}}}, "algorithm": {}, "stop": {{"iterations": 10}}}})",
      workers, textbook, model, optimizer, algorithm));
}

}  // namespace

TEST_CASE("a model dealt over workers learns what the whole one learns on one worker") {
  const std::string momentum = R"({"type": "momentum", "learning_rate": 0.02})";
  for (const std::string& model : {std::string(R"("mlp")"), conv_net}) {
    const auto one = run::run(of_model(R"("single")", 1, model, momentum));
    for (const int workers : {1, 2, 4}) {
      const auto split = run::run(of_model(R"("vertical")", workers, model, momentum));
      REQUIRE(split.weights.size() == 1);
      CHECK(largest_difference(split.weights[0], one.weights[0]) < 1e-6);
      CHECK(split.samples == one.samples);
      CHECK(split.epochs == doctest::Approx(one.epochs));
      CHECK(split.curve.back().test_accuracy == one.curve.back().test_accuracy);
    }
  }
}

// 144-32-10 over 4 workers: 8 units each, and 2 or 3 outputs. In the forward pass all pieces travel twice (hidden,
// outputs), in the backward pass the gradient by the hidden units; the first layer reads the data, which every worker
// has.
TEST_CASE("a step of a split perceptron sends each piece to each other worker, and gradients of hidden units back") {
  const auto result = run::run(of_model(R"("vertical")", 4, R"("mlp")", R"({"type": "sgd", "learning_rate": 0.1})"));
  const double batch = 25, steps = 10, others = 3;
  CHECK(result.bytes_sent == steps * 4 * batch * others * (32 + 10 + 32));
  CHECK(result.bounds.bytes_per_step == doctest::Approx(4 * batch * others * (32 + 10 + 32) / 4));
  // Three meetings a step, and a last message without content that says the end.
  CHECK(result.messages_sent == 4 * others * (steps * 3 + 1));
}

TEST_CASE("each worker computes its share of the operations of a whole gradient") {
  const auto result = run::run(of_model(R"("vertical")", 4, R"("mlp")", R"({"type": "sgd", "learning_rate": 0.1})"));
  const double whole = 144 * 32 + 32 * 10;
  for (std::size_t worker = 0; worker < 4; ++worker) {
    const double outputs = worker % 2 == 0 ? 2 : 3;
    const double share = (144 * 8 + 32 * outputs) / whole;
    CHECK(result.compute_s[worker] == doctest::Approx(10 * 0.1 * share));
  }
}

TEST_CASE("timing only: a step is its compute and the meetings one after the other") {
  const auto result = run::run(
      timing_only(R"({"name": "vertical", "meetings": ["400kB", "40kB"]})", 4, 0, "10ms", R"({"iterations": 5})"));
  // At 1 MB/s a worker's link carries its piece (a quarter) to and from three others; a gradient of 0.1 s is dealt over
  // four; the last meeting has no way back. The words at the end cost one latency.
  const double meeting = 3 * 0.1 + 0.01, outputs = 3 * 0.01 + 0.01;
  CHECK(result.simulated_s == doctest::Approx(5 * (0.025 + 2 * meeting + outputs) + 0.01).epsilon(1e-6));
  CHECK(result.bytes_sent == doctest::Approx(5 * 3 * (2 * 400e3 + 40e3)));
}

TEST_CASE("workers that share a model end after the same step, whatever condition ends training") {
  for (const char* stop : {R"({"samples": 110})", R"({"epochs": 0.35})", R"({"iterations": 5})"}) {
    auto scenario = of_model(R"("vertical")", 3, R"("mlp")", R"({"type": "sgd", "learning_rate": 0.1})");
    scenario.compute.jitter = 0.5;
    scenario.stop = scenario_from(fmt::format(R"({{"name": "law", "platform": {{"topology": "star", "workers": 1,
        "bandwidth": "1Mbps"}}, "model": "mlp", "algorithm": "single", "stop": {}}})",
                                              stop))
                        .stop;
    const auto result = run::run(scenario);
    for (const std::int64_t steps : result.steps) CHECK(steps == 5);
    CHECK(result.samples == 5 * 25);
  }
}

TEST_CASE("answers of a split model are the whole one's, and wait for the pieces alone") {
  const std::string serving = R"({"name": "vertical", "serving": {"requests": 100}})";
  for (const std::string& model : {std::string(R"("mlp")"), conv_net}) {
    for (const int workers : {1, 4}) {
      const auto result = run::run(of_model(serving, workers, model, R"({"type": "momentum", "learning_rate": 0.02})"));
      REQUIRE(result.answers.size() == 100);
      double correct = 0;
      for (const Answer& answer : result.answers) correct += answer.correct;
      CHECK(correct / 100 == doctest::Approx(*result.curve.back().test_accuracy));
    }
  }
  const auto mlp = run::run(of_model(serving, 4, R"("mlp")", R"({"type": "sgd", "learning_rate": 0.1})"));
  // The sample to three others over one link at 10 MB/s, their share of a third of a gradient of one sample, the hidden
  // units to all, then the outputs to worker 0.
  const double share = 1.0 / 25 * 0.1 / 3 / (144 * 32 + 320);
  const double sample = 3 * 4 * 144 / 10e6 + 0.001, hidden = 3 * 4 * 8 / 10e6 + 0.001, outputs = 4 * 8 / 10e6 + 0.001;
  for (const Answer& answer : mlp.answers) {
    CHECK(answer.bytes == 3 * 4 * 144 + 3 * 4 * 32 + 4 * 8);
    CHECK(answer.answer_s - answer.arrival_s ==
          doctest::Approx(sample + share * 144 * 8 + hidden + share * 32 * 3 + outputs).epsilon(1e-3));
  }
}

}  // namespace ddl::vertical_laws_test

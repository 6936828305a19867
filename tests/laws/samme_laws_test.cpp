// Ensembles trained across hosts: messages, times, and scores.
#include <doctest/doctest.h>

#include "core/nn/kernels/workspace.hpp"
#include "sim/run/learning/trainer.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::samme_laws_test {

namespace {

// 100 training samples in batches of 10: ten steps a pass. Softmax on 12 x 12 images: 1450 parameters.
scenario::Scenario ensemble_of(int workers, const std::string& more = "", const std::string& rest = "") {
  return learning(R"({"name": "samme", "local_epochs": 2)" + more + "}", workers, 0,
                  R"("data": {"train": 100, "test": 50}, "training": {"batch_size": 10, "init": "independent",
                     "optimizer": {"type": "sgd", "learning_rate": 0.1}}, "stop": {"iterations": 1000})" +
                      rest);
}

const run::CurveRow& last_of(const run::RunResult& result, const std::string& name) {
  const run::CurveRow* last = nullptr;
  for (const run::CurveRow& row : result.curve) {
    if (row.worker == name) last = &row;
  }
  REQUIRE(last != nullptr);
  return *last;
}

}  // namespace

TEST_CASE("an ensemble of one worker is that worker's model, judged by its answers") {
  const scenario::Scenario scenario = ensemble_of(1);
  const auto result = run::run(scenario);
  CHECK(result.stopped_by == "finished");
  CHECK(result.steps == std::vector<std::int64_t>{20});
  CHECK(result.bytes_sent == 0);
  const data::DataSplit data = run::load_data(scenario);
  nn::Workspace workspace;
  const nn::Model model(scenario.model, data.train.shape, data.train.classes);
  const nn::Score own = model.evaluate(result.weights[0], data.test, data.test.size(), workspace);
  CHECK(last_of(result, "mean").test_accuracy == own.accuracy);
  CHECK(last_of(result, "averaged_model").test_accuracy == own.accuracy);
}

TEST_CASE("four bytes a sample go from member to member, and a byte a tested sample or a model to the first worker") {
  const double model_bytes = 4 * 1450;
  for (const int workers : {2, 3, 5}) {
    const double hand_over = (workers - 1) * 4.0 * 100;
    const auto answers = run::run(ensemble_of(workers));
    CHECK(answers.bytes_sent == hand_over + (workers - 1) * (50 + 4));
    CHECK(answers.messages_sent == 2 * (workers - 1));
    const auto models = run::run(ensemble_of(workers, R"(, "vote": "models")"));
    CHECK(models.bytes_sent == hand_over + (workers - 1) * (model_bytes + 4));
    // The messages do not change the vote.
    CHECK(last_of(models, "mean").test_accuracy == last_of(answers, "mean").test_accuracy);
    CHECK(models.weights == answers.weights);
  }
}

TEST_CASE("members are trained one after the other: gradients, a forward pass over all samples, a message") {
  const auto result = run::run(ensemble_of(3));
  // 10 MB/s and 1 ms: 20 steps of 100 ms, ten batches of a third of that, then 400 bytes to the next.
  const double member_s = 20 * 0.1 + 10 * 0.1 / 3, hand_over_s = 0.001 + 400 / 10e6, vote_s = 0.001 + 54 / 10e6;
  CHECK(result.simulated_s == doctest::Approx(3 * member_s + 2 * hand_over_s + vote_s).epsilon(1e-6));
  double ends = 0;
  for (const run::IterationRow& row : result.iterations) {
    CHECK(row.start_s >= ends);
    ends = row.end_s;
  }
}

TEST_CASE("without learning an ensemble sends and takes as much as with it") {
  scenario::Scenario timing = scenario_from(fmt::format(
      R"({{"name": "law", "platform": {{"workers": 3, "bandwidth": "80Mbps", "latency": "1ms", {}}}, "model": "none",
          "wire": {{"model_bytes": "5800B"}}, "compute": {{"seconds_per_batch": "100ms", "jitter": 0}},
          "data": {{"train": 100, "test": 50}}, "training": {{"batch_size": 10}},
          "algorithm": {{"name": "samme", "local_epochs": 2}}, "stop": {{"iterations": 1000}}}})",
      textbook));
  const auto timed = run::run(timing), learned = run::run(ensemble_of(3));
  CHECK(timed.simulated_s == doctest::Approx(learned.simulated_s).epsilon(1e-9));
  CHECK(timed.bytes_sent == learned.bytes_sent);
}

TEST_CASE("a run that ends before all members are trained is judged by those it has") {
  // Room for 25 of 60 steps: the second member is cut short and the third never begins.
  scenario::Scenario scenario = ensemble_of(3);
  scenario.stop.iterations.reset();
  scenario.stop.samples = 250;
  const auto result = run::run(scenario);
  CHECK(result.steps == std::vector<std::int64_t>{20, 5, 0});
  CHECK(result.stopped_by == "samples");
  CHECK(result.bytes_sent == 2 * 400 + (50 + 4));
}

TEST_CASE("every worker is judged by the ensemble") {
  const auto result = run::run(ensemble_of(3));
  const auto accuracy = last_of(result, "mean").test_accuracy;
  for (const char* row : {"w0", "w1", "w2", "averaged_model"}) CHECK(last_of(result, row).test_accuracy == accuracy);
}

TEST_CASE("weightings and samplings make different members of the same first one") {
  std::vector<std::vector<float>> second;
  for (const char* more : {"", R"(, "iddl": {"weighting": "published"})"}) {
    const auto result = run::run(ensemble_of(2, more));
    second.push_back(result.weights[1]);
    if (second.size() == 2) CHECK(second[0] != second[1]);
  }
  CHECK(run::run(ensemble_of(2)).weights[0] ==
        run::run(ensemble_of(2, R"(, "iddl": {"weighting": "published"})")).weights[0]);
  CHECK(run::run(ensemble_of(2)).weights[1] !=
        run::run(ensemble_of(2, R"(, "iddl": {"sampling": "repeat"})")).weights[1]);
}

TEST_CASE("data dealt to workers, or read in order, are refused, because every worker reads all as weights say") {
  for (const char* key : {"partition", "shuffle"}) {
    const std::string value = std::string(key) == "shuffle" ? "false" : "\"by_label\"";
    const std::string text = fmt::format(
        R"({{"platform": {{"workers": 2, "bandwidth": "8Mbps"}}, "model": "softmax", "data": {{"{}": {}}},
            "algorithm": "samme", "stop": {{"iterations": 1}}}})",
        key, value);
    const std::string line = std::string("law.json: $.data.") + key + ": is given, but every worker of \"samme\"";
    CHECK_THROWS_WITH_AS(scenario_from(text), doctest::Contains(line.c_str()), scenario::ScenarioErrors);
  }
}

TEST_CASE("an ensemble of weak members is more accurate than its first") {
  const std::string rest = R"("data": {"train": 2000, "test": 1000},
      "training": {"batch_size": 32, "init": "independent", "optimizer": {"type": "momentum", "learning_rate": 0.01}},
      "stop": {"iterations": 100000})";
  const auto accuracy = [&](int workers) {
    scenario::Scenario scenario = learning(R"({"name": "samme", "local_epochs": 10})", workers, 0, rest);
    scenario.model = {"mlp-3-1-bibd", {}};
    return *last_of(run::run(scenario), "mean").test_accuracy;
  };
  CHECK(accuracy(5) > accuracy(1) + 0.02);
}

}  // namespace ddl::samme_laws_test

// A loss in place of an accuracy: it ends runs, and targets, the best and expectations use it.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/results/reading/finished_run.hpp"
#include "sim/results/writing/summary.hpp"
#include "tests/support/scenarios.hpp"

namespace ddl::judged_by_loss_test {
namespace {

scenario::Scenario judged(const std::string& evaluate, const std::string& stop = R"("iterations": 20)") {
  return learning(R"({"name": "ring_allreduce"})", 2, 0,
                  R"("stop": {)" + stop + R"(}, "evaluate": {"every_iterations": 2)" + evaluate + "}");
}

std::vector<run::CurveRow> means_of(const run::RunResult& result) {
  std::vector<run::CurveRow> means;
  std::ranges::copy_if(result.curve, std::back_inserter(means),
                       [](const run::CurveRow& row) { return row.worker == run::mean_of_workers; });
  return means;
}

TEST_CASE("a run that a loss ends is the run that goes on, up to the first evaluation with this loss") {
  const auto whole = means_of(run::run(judged("")));
  REQUIRE(whole.size() > 5);
  const double asked = *whole[4].test_loss;
  REQUIRE(whole[3].test_loss > asked);
  const run::RunResult cut = run::run(judged("", fmt::format(R"("iterations": 20, "loss": {:.17g})", asked)));
  CHECK(cut.stopped_by == "loss");
  const auto until = means_of(cut);
  REQUIRE(until.size() == 5);
  CHECK(until.back().time_s == whole[4].time_s);
  CHECK(until.back().test_loss == asked);
}

TEST_CASE("targets, the best and their keys follow the metric") {
  scenario::Scenario scenario = judged(R"(, "target_loss": [0.0001, 2])");
  REQUIRE(scenario.evaluate.metric == scenario::MetricName::loss);  // the targets decide it
  run::RunResult result = run::run(scenario);
  const auto means = means_of(result);
  const auto reached = std::ranges::find_if(means, [](const auto& row) { return row.test_loss <= 2; });
  REQUIRE(reached != means.end());
  const auto summary = nlohmann::json::parse(results::summary_json(scenario, result, "0"));
  CHECK(summary["time_to_target_s"]["2"] == reached->time_s);
  CHECK(summary["bytes_to_target"]["2"] == reached->bytes_sent);
  CHECK(summary["time_to_target_s"]["0.0001"].is_null());
  CHECK(summary["best_loss"] == std::ranges::min(means, {}, &run::CurveRow::test_loss).test_loss);
  for (const char* key : {"time_to_accuracy_s", "bytes_to_accuracy", "best_accuracy"})
    CHECK_FALSE(summary.contains(key));
  // Readers' keys exist.
  for (const results::Measure& one : results::measures_of({0.0001, 2}, scenario::by_loss)) {
    CHECK_MESSAGE(summary.contains(one.key.substr(0, one.key.find('.'))), one.key);
  }
}

TEST_CASE("settings that do not fit the metric are refused") {
  const auto refusal = [](const std::string& evaluate) {
    try {
      judged(evaluate);
    } catch (const scenario::ScenarioErrors& errors) {
      return errors.lines.at(0);
    }
    return std::string("accepted");
  };
  CHECK(refusal(R"(, "metric": "loss", "target_accuracy": [0.5])")
            .find("models are judged by loss; expected target_loss") != std::string::npos);
  CHECK(refusal(R"(, "target_loss": [1], "target_accuracy": [0.5])").find("$.evaluate.target_loss") !=
        std::string::npos);
  CHECK(refusal(R"(, "target_loss": [1, 1])").find("target_loss[1]: repeats") != std::string::npos);
  CHECK(refusal(R"(, "metric": "losses")").find("loss") != std::string::npos);
}

}  // namespace
}  // namespace ddl::judged_by_loss_test

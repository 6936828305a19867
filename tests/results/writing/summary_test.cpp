#include "sim/results/writing/summary.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/base/check.hpp"
#include "sim/results/writing/result_files.hpp"
#include "tests/results/writing/example.hpp"

namespace ddl::results {
namespace {

using doctest::Approx;

nlohmann::ordered_json summary_of(const scenario::Scenario& scenario, const run::RunResult& result) {
  return nlohmann::ordered_json::parse(summary_json(scenario, result));
}

}  // namespace

TEST_CASE("quantiles are interpolated linearly between sorted samples") {
  CHECK(quantile({3}, 0.95) == 3);
  CHECK(quantile({1, 2}, 0.5) == 1.5);
  CHECK(quantile({0, 10, 20, 30, 40}, 0) == 0);
  CHECK(quantile({0, 10, 20, 30, 40}, 0.25) == 10);
  CHECK(quantile({0, 10, 20, 30, 40}, 0.95) == Approx(38));  // position 3.8
  CHECK(quantile({0, 10, 20, 30, 40}, 1) == 40);
  CHECK_THROWS_AS(quantile({}, 0.5), InternalError);
}

TEST_CASE("the summary begins with name, seed and algorithm") {
  const auto summary = summary_of(example_scenario(), example_result());
  auto key = summary.begin();
  CHECK(key.key() == "name");
  CHECK(*key++ == "example");
  CHECK(key.key() == "seed");
  CHECK(*key++ == 7);
  CHECK(key.key() == "algorithm");
  CHECK(*key == "ako");
}

TEST_CASE("totals and scores of the last evaluation are in the summary") {
  const auto summary = summary_of(example_scenario(), example_result());
  CHECK(summary["simulated_seconds"] == 10);
  CHECK(summary["iterations"] == 5);
  CHECK(summary["iterations_per_worker"].dump() == R"({"w0":3,"w1":2})");
  CHECK(summary["samples"].dump() == "160");
  CHECK(summary["epochs"] == 1.25);
  CHECK(summary["final_accuracy"].dump() == R"({"mean":0.625,"min":0.5,"max":0.75,"averaged_model":0.6875})");
  CHECK(summary["final_loss"].dump() == R"({"mean":1.125,"min":1.0,"max":1.25,"averaged_model":1.0625})");
  CHECK(summary["bytes_sent"].dump() == "3500");
  CHECK(summary["messages_sent"] == 3);
  CHECK(summary["consensus_distance"] == 2.75);
  CHECK(summary["longest_queue"] == 2);
  CHECK(summary["given_up"].dump() == R"({"w0":1,"w1":2})");
  CHECK(summary["stopped_by"] == "time");
  CHECK(summary["digest"] == digest_of(example_result()));
  CHECK(
      summary["bounds"].dump() ==
      R"({"step_s":4.0,"bottleneck":"w1 down","network_s":0.5,"compute_s":4.0,"bytes_per_step":750,"network_bound":false})");
}

TEST_CASE("the best accuracy is that of the mean over workers, in whichever evaluation") {
  run::RunResult result = example_result();
  for (run::CurveRow& row : result.curve) {
    if (row.time_s == 5 && row.worker == "mean") row.test_accuracy = 0.7;
  }
  CHECK(summary_of(example_scenario(), result)["best_accuracy"] == 0.7);
}

TEST_CASE("a target is reached by the first evaluation whose mean is at least the target") {
  // Means: 0.125 at 0 s, 0.375 at 5 s (1000 bytes), 0.625 at 10 s (3000 bytes). Worker w0 alone has 0.75 at 10 s.
  scenario::Scenario scenario = example_scenario();
  const auto summary = summary_of(scenario, example_result());
  CHECK(summary["time_to_accuracy_s"].dump() == R"({"0.3":5.0,"0.6":10.0,"0.9":null})");
  CHECK(summary["bytes_to_accuracy"].dump() == R"({"0.3":1000,"0.6":3000,"0.9":null})");
  scenario.evaluate.target_accuracy = {0.625, 0.7, 0.125};
  CHECK(summary_of(scenario, example_result())["time_to_accuracy_s"].dump() ==
        R"({"0.625":10.0,"0.7":null,"0.125":0.0})");
}

TEST_CASE("an evaluation at the very instant of the one before counts as the last") {
  run::RunResult result = example_result();
  result.curve.push_back({10, "w0", 3, 96, 1.25, 3000, 1.5, 0.5, 0.875});
  result.curve.push_back({10, "w1", 2, 64, 1.25, 3000, 1.5, 0.25, 0.625});
  result.curve.push_back({10, "mean", 2.5, 160, 1.25, 3000, 1.5, 0.375, 0.75});
  result.curve.push_back({10, "averaged_model", 2.5, 160, 1.25, 3000, std::nullopt, 0.25, 0.8125});
  CHECK(summary_of(example_scenario(), result)["final_accuracy"].dump() ==
        R"({"mean":0.75,"min":0.625,"max":0.875,"averaged_model":0.8125})");
}

TEST_CASE("times per batch are over all steps of all workers, from start to end") {
  // Sorted: 2, 3, 4, 4, 5. 95 %: position 3.8, so 4 + 0.8.
  const auto times = summary_of(example_scenario(), example_result())["seconds_per_batch"];
  CHECK(times["min"] == 2);
  CHECK(times["mean"].get<double>() == Approx(3.6));
  CHECK(times["median"] == 4);
  CHECK(times["p95"].get<double>() == Approx(4.8));
  CHECK(times["max"] == 5);
  // The run's 10 s over the 2 steps of w1, including the last second, in which it finished none.
  CHECK(summarise(example_scenario(), example_result()).slowest_step_s == 5);
}

TEST_CASE("rates, staleness and idle time follow from the rows") {
  const auto summary = summary_of(example_scenario(), example_result());
  CHECK(summary["time_per_epoch_s"] == 8);
  CHECK(summary["staleness"]["mean"].get<double>() == Approx(1.2));  // 0, 1, 2, 0, 3
  CHECK(summary["staleness"]["max"] == 3);
  CHECK(summary["idle_fraction"]["w0"].get<double>() == Approx(0.55));
  CHECK(summary["idle_fraction"]["w1"].get<double>() == Approx(0.2));
  CHECK(summary["compute_utilisation"].get<double>() == Approx((0.45 + 0.8) / 2));
}

TEST_CASE("the busiest link is one whose capacity flows share, with its direction") {
  // The fat pipe's 0.9 does not count.
  CHECK(summary_of(example_scenario(), example_result())["busiest_link"].dump() ==
        R"({"name":"w1 down","utilisation":0.5})");
  run::RunResult silent = example_result();
  silent.traffic = {{"w0", "up", 0, 0}};
  CHECK(summary_of(example_scenario(), silent)["busiest_link"].is_null());
}

TEST_CASE("a timing-only run has null for everything learned, and figures for the rest") {
  const auto summary = summary_of(timing_only_scenario(), timing_only_result());
  for (const char* key : {"final_accuracy", "final_loss", "best_accuracy", "time_per_epoch_s", "consensus_distance"}) {
    CAPTURE(key);
    CHECK(summary.at(key).is_null());
  }
  CHECK(summary["time_to_accuracy_s"].dump() == R"({"0.3":null,"0.6":null,"0.9":null})");
  CHECK(summary["seconds_per_batch"]["max"] == 5);
  CHECK(summary["iterations"] == 5);
}

TEST_CASE("a run that finished no step has a summary, with null for what steps would tell") {
  run::RunResult result;
  result.nodes = {"w0"};
  result.workers = 1;
  result.steps = {0};
  result.compute_s = {0};
  const auto summary = summary_of(example_scenario(), result);
  CHECK(summary["seconds_per_batch"].is_null());
  CHECK(summary["staleness"].is_null());
  CHECK(summary["busiest_link"].is_null());
  CHECK(summary["bounds"]["bottleneck"].is_null());
  CHECK(summary["idle_fraction"]["w0"] == 1);
}

}  // namespace ddl::results

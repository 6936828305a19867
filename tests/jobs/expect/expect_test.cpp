// Expectations that hold or fail, by results known beforehand.
#include "sim/jobs/expect/expect.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <numeric>

#include "sim/results/reading/mean_curve.hpp"
#include "tests/support/files.hpp"

namespace ddl::jobs {
namespace {

// One worker and gradients of 100 ms: five steps end at 0.5 s, and nothing travels.
const std::string timing = R"("platform": {"workers": 1, "bandwidth": "8Mbps"}, "model": "none",
    "wire": {"model_bytes": "1MB"}, "compute": {"seconds_per_batch": "100ms", "jitter": 0},
    "algorithm": "single", "stop": {"iterations": 5})";

// The same with a model, evaluated after every step.
std::string learning(const std::string& rate) {
  return R"("platform": {"workers": 1, "bandwidth": "8Mbps"}, "model": "softmax", "data": {"train": 400, "test": 100},
    "training": {"optimizer": {"type": "sgd", "learning_rate": )" +
         rate + R"(}}, "compute": {"seconds_per_batch": "100ms", "jitter": 0}, "algorithm": "single",
    "evaluate": {"every_iterations": 1}, "stop": {"iterations": 20})";
}

// Scenario files in a folder of their own.
class Bench {
 public:
  std::string write(const std::string& name, const std::string& settings, const std::string& expect = "") const {
    const std::filesystem::path file = scratch_.path() / (name + ".json");
    std::ofstream(file) << "{" << settings << (expect.empty() ? "" : ", \"expect\": [" + expect + "]") << "}";
    return file.string();
  }
  ExpectPlan plan(const std::vector<std::string>& files, const std::vector<std::uint64_t>& seeds = {}) const {
    return plan_expectations(systems::built_in(), {files, {}, seeds, (scratch_.path() / "out").string()});
  }
  // Verdicts on the only file.
  std::vector<Judgement> verdicts(const std::string& file, const std::vector<std::uint64_t>& seeds = {}) const {
    const ExpectPlan planned = plan({file}, seeds);
    return judge(planned, planned.expected.at(0), run_expectations(planned, 2, [](const RunsProgress&) {}));
  }
  std::vector<std::string> refused(const std::vector<std::string>& files) const {
    try {
      plan(files);
    } catch (const scenario::ScenarioErrors& errors) {
      return errors.lines;
    }
    return {};
  }
  std::filesystem::path out() const { return scratch_.path() / "out"; }

 private:
  TemporaryFolder scratch_;
};

bool ends_with(const std::string& text, const std::string& end) { return text.ends_with(end); }

TEST_CASE("time and bytes are judged by their bands, whose ends belong to them") {
  const Bench bench;
  const auto verdicts = bench.verdicts(bench.write("timing", timing, R"(
      {"time": ["0.5s", "0.5s"]}, {"time": ["0.4s", "0.6s"]}, {"time": ["0.1s", "0.4s"]}, {"time": ["0.6s", "1s"]},
      {"bytes": ["0B", "0B"]}, {"bytes": ["1B", "2B"]})"));
  const std::vector<bool> expected = {true, true, false, false, true, false};
  REQUIRE(verdicts.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(verdicts[i].holds() == expected[i]);
  CHECK(verdicts[0].seen == std::vector<std::optional<double>>{0.5});
  CHECK(verdicts[5].seen == std::vector<std::optional<double>>{0.0});
}

TEST_CASE("accuracy is what was evaluated last by then, or the mean of several evaluations") {
  const Bench bench;
  const auto verdicts = bench.verdicts(bench.write("learner", learning("0.1"), R"(
      {"accuracy": [0, 1]}, {"at": "1s", "accuracy": [0, 1]}, {"at": "1.05s", "accuracy": [0, 1]},
      {"accuracy": [0, 1], "over": 5}, {"at": "0.1s", "accuracy": [0, 1], "over": 99})"));
  std::map<int, double> by_step;  // steps end at tenths of a second; the start is evaluated, too
  for (const auto& row : results::read_mean_curve(bench.out() / "learner" / "1")) {
    by_step[static_cast<int>(row.iteration)] = *row.test_accuracy;
  }
  REQUIRE(by_step.size() == 21);
  CHECK(verdicts[0].what == "accuracy at the end");
  CHECK(verdicts[3].what == "accuracy at the end, mean of 5 evaluations");
  CHECK(verdicts[0].seen[0] == by_step[20]);
  CHECK(verdicts[1].seen[0] == by_step[10]);
  CHECK(verdicts[2].seen[0] == by_step[10]);
  CHECK(*verdicts[3].seen[0] ==
        doctest::Approx((by_step[16] + by_step[17] + by_step[18] + by_step[19] + by_step[20]) / 5));
  CHECK(*verdicts[4].seen[0] == doctest::Approx((by_step[0] + by_step[1]) / 2));
}

TEST_CASE("the time to an accuracy is that of its first evaluation, and one that is never reached does not hold") {
  const Bench bench;
  const auto verdicts = bench.verdicts(bench.write("learner", learning("0.1"), R"(
      {"target": 0.3, "time": ["0s", "2s"]}, {"target": 1, "time": ["0s", "2s"]},
      {"target": 0.3, "bytes": ["0B", "0B"]})"));
  double first = -1;
  for (const auto& row : results::read_mean_curve(bench.out() / "learner" / "1")) {
    if (first < 0 && row.test_accuracy >= 0.3) first = row.time_s;
  }
  CHECK(verdicts[0].seen[0] == first);
  CHECK(verdicts[0].holds());
  CHECK_FALSE(verdicts[1].seen[0].has_value());
  CHECK_FALSE(verdicts[1].holds());
  CHECK(verdicts[2].holds());
}

TEST_CASE("judged by loss, targets are losses, and less is better") {
  const Bench bench;
  const auto by_loss = [](const char* steps) {
    std::string text = learning("0.1");
    text.replace(text.find("\"every_iterations\": 1"), 21, R"("every_iterations": 1, "metric": "loss")");
    return text.replace(text.find("\"iterations\": 20"), 16, fmt::format("\"iterations\": {}", steps));
  };
  bench.write("beginner", by_loss("1"));
  const auto verdicts = bench.verdicts(bench.write("learner", by_loss("20"), R"(
      {"target": 2, "time": ["0s", "2s"]}, {"loss": [0, 9]}, {"accuracy": [0, 1]}, {"better_than": "beginner.json"})"));
  const auto rows = results::read_mean_curve(bench.out() / "learner" / "1");
  const auto first = std::ranges::find_if(rows, [](const auto& row) { return row.test_loss <= 2; });
  REQUIRE(first != rows.end());
  CHECK(verdicts[0].what == "time to loss 2");
  CHECK(verdicts[0].seen[0] == first->time_s);
  CHECK(verdicts[1].seen[0] == rows.back().test_loss);
  CHECK(verdicts[2].seen[0] == rows.back().test_accuracy);  // a band names its own quantity
  const auto rival = results::read_mean_curve(bench.out() / "beginner" / "1");
  CHECK(verdicts[3].seen[0] == *rival.back().test_loss - *rows.back().test_loss);
  CHECK(verdicts[3].holds());
  bench.write("by_accuracy", learning("0.1"));
  const auto refused = bench.refused({bench.write("mixed", by_loss("2"), R"({"better_than": "by_accuracy.json"})")});
  REQUIRE(refused.size() == 1);
  CHECK(ends_with(refused[0], "is judged by accuracy, this scenario by loss; expected one evaluate.metric for both"));
}

TEST_CASE("a scenario is better than another by the difference of their accuracies, and a tie is not better") {
  const Bench bench;
  std::string beginner = learning("0.1");
  beginner.replace(beginner.find("\"iterations\": 20"), 16, "\"iterations\": 1");
  bench.write("beginner", beginner);
  bench.write("twin", learning("0.1"));
  const std::string file = bench.write("learner", learning("0.1"), R"({"better_than": "beginner.json", "by": 0.05},
      {"better_than": "beginner.json", "by": 0.99}, {"better_than": "twin.json"})");
  const auto verdicts = bench.verdicts(file, {3, 4});
  CHECK(verdicts[0].holds());
  CHECK_FALSE(verdicts[1].holds());
  CHECK_FALSE(verdicts[2].holds());
  CHECK(verdicts[2].seen == std::vector<std::optional<double>>{0.0, 0.0});
  for (std::size_t seed = 0; seed < 2; ++seed) {
    const auto last = [&](const char* name) {
      return results::read_mean_curve(bench.out() / name / std::to_string(seed + 3)).back().test_accuracy.value();
    };
    CHECK(*verdicts[0].seen[seed] == last("learner") - last("beginner"));
  }
}

TEST_CASE("an expectation holds when it holds for every seed") {
  const Bench bench;
  const std::string open = R"({"accuracy": [0, 1]})";
  const auto seen = bench.verdicts(bench.write("learner", learning("0.1"), open), {1, 2, 3}).at(0).seen;
  const auto [least, most] = std::minmax({*seen[0], *seen[1], *seen[2]});
  REQUIRE(least < most);
  const auto judged = [&](double from, double to) {
    const std::string band = "[" + std::to_string(from) + ", " + std::to_string(to) + "]";
    const std::string file = bench.write("learner", learning("0.1"), "{\"accuracy\": " + band + "}");
    return bench.verdicts(file, {1, 2, 3}).at(0).holds();
  };
  CHECK(judged(least - 0.001, most + 0.001));
  CHECK_FALSE(judged(least - 0.001, most - 0.001));
  CHECK_FALSE(judged(least + 0.001, most + 0.001));
}

TEST_CASE("each run is made once, and is kept for the next time, and expectations are no part of it") {
  const Bench bench;
  const std::string rival = bench.write("rival", timing, R"({"time": ["0s", "1s"]})");
  const std::string file = bench.write("timing", timing, R"({"time": ["0s", "1s"]}, {"bytes": ["0B", "1B"]})");
  std::size_t kept = 0;
  const auto run = [&](const ExpectPlan& plan) {
    run_expectations(plan, 1, [&](const RunsProgress& progress) { kept = progress.kept; });
  };
  const ExpectPlan plan = bench.plan({file, rival});
  CHECK(plan.jobs.size() == 2);
  run(plan);
  CHECK(kept == 0);
  const std::string before = text_of(bench.out() / "timing" / "1" / "run.json");
  CHECK(before.find("expect") == std::string::npos);
  bench.write("timing", timing, R"({"time": ["7s", "8s"]})");
  run(bench.plan({file, rival}));
  CHECK(kept == 2);
  CHECK(text_of(bench.out() / "timing" / "1" / "run.json") == before);
}

TEST_CASE("expectations that cannot be judged are refused together, before anything runs") {
  const Bench bench;
  const std::string nothing = bench.write("nothing", timing);
  const std::string many = bench.write("many", timing, R"({"accuracy": [0, 1]}, {"target": 0.5, "time": ["0s", "1s"]},
      {"better_than": "absent.json"}, {"better_than": "many.json"})");
  std::string until = learning("0.1");
  until.replace(until.find("\"iterations\": 20"), 16, "\"time\": \"1s\"");
  const std::string late = bench.write("late", until, R"({"at": "2s", "accuracy": [0, 1]})");
  const auto lines = bench.refused({nothing, many});
  REQUIRE(lines.size() == 7);
  CHECK(ends_with(lines[0], "nothing.json: $.expect: is missing; expected a list of what its runs must show"));
  CHECK(lines[1].find("many.json: $.expect[0]: needs a model, but model \"none\"") != std::string::npos);
  CHECK(lines[2].find("$.expect[1].target: needs a model") != std::string::npos);
  CHECK(lines[3].find("absent.json\" does not exist; expected another scenario's file") != std::string::npos);
  CHECK(lines[5].find("is this scenario; expected another one") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(bench.out()));
  const auto after = bench.refused({late});
  REQUIRE(after.size() == 1);
  CHECK(ends_with(after[0], "$.expect[0].at: is after the run's end, stop.time 1s; expected an earlier time"));
}

TEST_CASE("limits are widened so that the same runs fit, and a target that was missed is left alone") {
  const Bench bench;
  const std::string file = bench.write("learner", learning("0.1"), R"({"accuracy": [0.98, 0.99]},
      {"target": 0.3, "time": ["1us", "2us"]}, {"target": 1, "time": ["0s", "2s"]})");
  const auto verdicts = bench.verdicts(file, {1, 2, 3});
  const ExpectPlan plan = bench.plan({file}, {1, 2, 3});
  const auto& expect = plan.expected[0].scenario->expect;
  const auto accuracy = widened(expect[0], verdicts[0]);
  REQUIRE(accuracy.has_value());
  CHECK(accuracy->accuracy[1] - accuracy->accuracy[0] >= 0.06);
  const auto time = widened(expect[1], verdicts[1]);
  REQUIRE(time.has_value());
  for (const auto& seen : verdicts[1].seen) {
    CHECK(time->time[0].value * 1.4 < *seen);
    CHECK(time->time[1].value > 1.4 * *seen);
  }
  CHECK_FALSE(widened(expect[2], verdicts[2]).has_value());
}

}  // namespace
}  // namespace ddl::jobs

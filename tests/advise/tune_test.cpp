// Scenarios, and points of sweeps, at their own best settings.
#include "sim/advise/tune.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "sim/jobs/sweep/run_sweep.hpp"
#include "tests/support/files.hpp"

namespace ddl::advise {
namespace {

// Twenty steps.
std::string learner_text(const std::string& bandwidth) {
  return R"({"platform": {"workers": 2, "bandwidth": ")" + bandwidth + R"("}, "model": "softmax",
    "data": {"train": 400, "test": 100}, "wire": {"model_bytes": "1MB"}, "training": {"batch_size": 1},
    "compute": {"seconds_per_batch": "100ms", "jitter": 0}, "algorithm": "single",
    "stop": {"time": "2s"}, "evaluate": {"every": "200ms"}})";
}

jobs::Sweep sweep_of(const std::string& rest) {
  return jobs::parse_sweep(R"({"name": "tuned", "base": )" + learner_text("800Mbps") +
                               R"(, "vary": {"algorithm": ["single", "gossip"]}, "seeds": [1, 2], )" + rest + "}",
                           "tuned.json");
}

TrialOptions counted(std::size_t& made) {
  return {2, [&made](const jobs::RunsProgress& progress) { made = progress.finished - progress.kept; }, {}};
}

std::string write(const TemporaryFolder& folder, const std::string& name, const std::string& bandwidth) {
  std::ofstream(folder.path() / name) << learner_text(bandwidth);
  return (folder.path() / name).string();
}

}  // namespace

TEST_CASE("tuning takes as many runs for each scenario, chooses what did best, and writes what can be run") {
  const TemporaryFolder scratch;
  TuneRequest request;
  request.files = {write(scratch, "one.json", "800Mbps"), write(scratch, "two.json", "8Mbps")};
  request.overrides = {{"algorithm", "gossip"}};
  request.seeds = 2;
  request.out = (scratch.path() / "tuned").string();
  std::size_t made = 0;
  const TrialOptions options = counted(made);
  const std::vector<TunedScenario> tuned = tuned_scenarios(systems::built_in(), request, options);
  CHECK(made == 2 * (8 + 4));
  REQUIRE(tuned.size() == 2);
  for (const TunedScenario& one : tuned) {
    CHECK(one.runs == one.planned);
    const std::vector<double>& chosen = one.search.best()->scores.at(1);
    for (const Halving::Tried& tried : one.search.tried) {
      if (tried.scores.at(1).size() == chosen.size()) CHECK(mean_of(tried.scores.at(1)) >= mean_of(chosen));
    }
    REQUIRE(one.at_end.size() == 2);
    CHECK(mean_of(one.at_end) == doctest::Approx(1 - mean_of(chosen)));
    const scenario::Scenario best = scenario::read_scenario(systems::built_in(), one.tuned_file);
    CHECK(best.name == one.name + "_tuned");
    const std::string table = text_of(one.folder / "tried.csv");
    CHECK(std::ranges::count(table, '\n') == 1 + 12);
    CHECK(table.starts_with("training.optimizer.learning_rate,seed,score,"));
  }
  made = 99;
  tuned_scenarios(systems::built_in(), request, options);
  CHECK(made == 99);  // nothing to do, so no report
}

TEST_CASE("tuning over lists of values says what is wrong with them") {
  const TemporaryFolder scratch;
  CHECK(over_of("algorithm.codec={\"type\": \"top_k\", \"share\": 0.1},\"none\"").values.size() == 2);
  CHECK(over_of("a.b=[1,2],3").values == std::vector<std::string>{"[1,2]", "3"});
  CHECK(over_of(rate_path).values.empty());
  CHECK_THROWS_WITH_AS(over_of("algorithm.period"), doctest::Contains("has no values"), InputError);
  CHECK_THROWS_WITH_AS(over_of("a.b=1,1"), doctest::Contains("has 1 twice"), InputError);
  CHECK_THROWS_WITH_AS(over_of("a.b=1,,2"), doctest::Contains("has an empty value"), InputError);
  TuneRequest request;
  request.files = {write(scratch, "one.json", "8Mbps")};
  request.over = {over_of("algorithm.partitions=1,2")};
  std::size_t made = 0;
  CHECK_THROWS_AS(tuned_scenarios(systems::built_in(), request, counted(made)), scenario::ScenarioErrors);
  CHECK(made == 0);
}

TEST_CASE("every point of a tuned sweep runs at what is best for it, which is a column of the tables") {
  const TemporaryFolder scratch;
  const std::string out = scratch.path().string();
  const jobs::Sweep sweep = sweep_of(R"("tune": {"over": {"training.batch_size": [1, 40]}, "seeds": 2})");
  const jobs::SweepPlan plan = jobs::plan_sweep(systems::built_in(), sweep);
  CHECK(tuning_runs(sweep, plan) == std::vector<std::size_t>{2 + 1, 2 + 1});
  std::size_t made = 0;
  const jobs::SweepPlan tuned = tuned_plan(systems::built_in(), sweep, plan, out, counted(made));
  CHECK(made == 6);
  CHECK(tuned.columns == std::vector<std::string>{"algorithm", "training.batch_size"});
  for (const jobs::SweepPoint& point : tuned.points) {
    CHECK(point.values.back() == "40");
    CHECK(scenario::describe(point.scenario).find("\"batch_size\": 40") != std::string::npos);
  }
  CHECK(tuned.points[1].name == plan.points[1].name);
  // The trials: two values with one seed, the better one with a second seed.
  const std::string tried = text_of(scratch.path() / "tuned_tuning" / "tried.csv");
  CHECK(
      tried.starts_with("algorithm,training.batch_size,seed,score,accuracy,time_to_target_s,bytes_to_target,failure,"
                        "best\nsingle,1,1000001,"));
  CHECK(std::ranges::count(tried, '\n') == 1 + 6);
  for (const char* row : {"single,40,1000001,", "single,40,1000002,", "gossip,1,1000001,", "gossip,40,1000002,"}) {
    CAPTURE(row);
    CHECK(tried.find(std::string("\n") + row) != std::string::npos);
  }
  CHECK(tried.find("single,1,1000002,") == std::string::npos);
  // Again, nothing is made.
  made = 0;
  tuned_plan(systems::built_in(), sweep, plan, out, counted(made));
  CHECK(made == 0);
  // The sweep's own runs are of the tuned scenarios.
  const jobs::SweepEstimate outlook = jobs::estimate_sweep(sweep, tuned, out, 2);
  CHECK(jobs::run_sweep(tuned, outlook, {2, {}}).failed() == 0);
  const std::string table = text_of(scratch.path() / "tuned" / "sweep.csv");
  CHECK(table.starts_with("algorithm,training.batch_size,seed,"));
  CHECK(table.find("gossip,40,1,") != std::string::npos);
}

TEST_CASE("a goal is in the metric of the scenario, and one that no run can reach is refused") {
  const TemporaryFolder scratch;
  const std::string by_accuracy = write(scratch, "accuracy.json", "8Mbps");
  const auto goal = [&](const std::string& file, const std::vector<scenario::Override>& changes,
                        std::optional<double> target) { return goal_of(systems::built_in(), file, changes, target); };
  const std::vector<scenario::Override> by_loss = {{"evaluate.metric", "\"loss\""}};
  CHECK(goal(by_accuracy, {}, 0.8).metric.word == "accuracy");
  CHECK(goal(by_accuracy, by_loss, 2.5).metric.word == "loss");
  CHECK(goal("some.xml", {}, std::nullopt).metric.word == "accuracy");
  CHECK_THROWS_WITH_AS(goal(by_accuracy, {}, 2.5),
                       "--target: 2.5 is no accuracy that a run could reach; expected more than 0 and at most 1",
                       InputError);
  // Tuned by loss, the best has the least.
  TuneRequest request;
  request.files = {by_accuracy};
  request.overrides = by_loss;
  request.over = {over_of("training.batch_size=1,40")};
  request.seeds = 1;
  request.out = scratch.path().string();
  request.goal = goal(by_accuracy, by_loss, std::nullopt);
  const TunedScenario tuned = tuned_scenarios(systems::built_in(), request, {2, {}}).at(0);
  REQUIRE(tuned.at_end.size() == 1);
  const std::string tried = text_of(tuned.folder / "tried.csv");
  CHECK(tried.find(",loss,") != std::string::npos);
  // Beside scenarios of another metric it cannot be.
  request.goal = {};
  CHECK_THROWS_AS(tuned_scenarios(systems::built_in(), request, {2, {}}), scenario::ScenarioErrors);
}

TEST_CASE("a sweep is not tuned over its own seeds") {
  const TemporaryFolder scratch;
  jobs::Sweep sweep = sweep_of(R"("tune": {})");
  sweep.seeds = {1000002};
  std::size_t made = 0;
  CHECK_THROWS_WITH_AS(tuned_plan(systems::built_in(), sweep, jobs::plan_sweep(systems::built_in(), sweep),
                                  scratch.path().string(), counted(made)),
                       "tuned.json: $.seeds: 1000002 is a seed for tuning; expected others", InputError);
  CHECK(made == 0);
}

}  // namespace ddl::advise

// Sweeps whose points are tuned first.
#include "sim/advise/tune_sweep.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>

#include "sim/advise/halving.hpp"
#include "sim/jobs/sweep/run_sweep.hpp"
#include "tests/results/writing/files.hpp"

namespace ddl::advise {
namespace {

// Twenty steps.
jobs::Sweep sweep_of(const std::string& rest) {
  return jobs::parse_sweep(R"({"name": "tuned", "base": {"platform": {"workers": 2, "bandwidth": "800Mbps"},
    "model": "softmax", "data": {"train": 400, "test": 100}, "wire": {"model_bytes": "1MB"},
    "training": {"batch_size": 1},
    "compute": {"seconds_per_batch": "100ms", "jitter": 0}, "algorithm": "single",
    "stop": {"time": "2s"}, "evaluate": {"every": "200ms"}},
    "vary": {"algorithm": ["single", "gossip"]}, "seeds": [1, 2], )" +
                               rest + "}",
                           "tuned.json");
}

LabOptions counted(std::size_t& made) {
  return {2, [&made](const jobs::RunsProgress& progress) { made = progress.finished - progress.kept; }, {}};
}

}  // namespace

TEST_CASE("every point of a tuned sweep runs at what is best for it, which is a column of the tables") {
  const results::TemporaryFolder scratch;
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
  // What was tried: two values with one seed, the better one with a second seed.
  const std::string tried = results::text_of(scratch.path() / "tuned_tuning" / "tried.csv");
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
  const std::string table = results::text_of(scratch.path() / "tuned" / "sweep.csv");
  CHECK(table.starts_with("algorithm,training.batch_size,seed,"));
  CHECK(table.find("gossip,40,1,") != std::string::npos);
}

TEST_CASE("a sweep is not tuned over its own seeds") {
  const results::TemporaryFolder scratch;
  jobs::Sweep sweep = sweep_of(R"("tune": {})");
  sweep.seeds = {1000002};
  std::size_t made = 0;
  CHECK_THROWS_WITH_AS(tuned_plan(systems::built_in(), sweep, jobs::plan_sweep(systems::built_in(), sweep),
                                  scratch.path().string(), counted(made)),
                       "tuned.json: $.seeds: 1000002 is a seed for tuning; expected others", InputError);
  CHECK(made == 0);
}

}  // namespace ddl::advise

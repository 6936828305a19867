// Expectations of scenarios (sim/scenario/expectation.hpp), run and judged.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/node/registry.hpp"
#include "sim/jobs/jobs.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::jobs {

struct ExpectRequest {
  std::vector<std::string> files;
  std::vector<scenario::Override> overrides;  // for all scenarios, rivals too
  std::vector<std::uint64_t> seeds = {};      // empty: each scenario's own
  std::string out = "results/expect";         // results go to <out>/<name>/<seed>
};

// A scenario with expectations, and the runs by which they are judged.
struct ExpectedScenario {
  const scenario::Scenario* scenario;
  std::vector<std::uint64_t> seeds;
  std::vector<std::size_t> jobs;  // by seed
  // By expectation, then seed: the runs of the scenario that this one is to be better than; empty of other kinds.
  std::vector<std::vector<std::size_t>> rivals;
};

struct ExpectPlan {
  std::deque<scenario::Scenario> scenarios;  // a deque: jobs point into it
  std::vector<ExpectedScenario> expected;    // by file
  std::vector<Job> jobs;
};
// Reads everything. Throws ScenarioErrors with all that is wrong.
ExpectPlan plan_expectations(const Registry& systems, const ExpectRequest& request);

// Runs what has no result yet. By job: why it has no result, "" where it has one. Throws as run_jobs does.
std::vector<std::string> run_expectations(const ExpectPlan& plan, int at_once,
                                          const std::function<void(const RunsProgress&)>& progress);

// One expectation, and what the runs showed.
struct Judgement {
  enum class Kind { score, seconds, bytes, difference };
  std::string what;  // "accuracy at 300s", "better than het_wan_ps_async"
  Kind kind = Kind::score;
  double least = 0, most = 0;               // a difference has no most
  std::vector<std::optional<double>> seen;  // by seed; none: the run did not get there, or has no result
  bool fits(std::size_t seed) const;
  bool holds() const;  // for every seed
};
// By expectation. Reads the results.
std::vector<Judgement> judge(const ExpectPlan& plan, const ExpectedScenario& expected,
                             const std::vector<std::string>& failures);

// The expectation with limits that these runs keep with a margin: of accuracies three standard deviations and at least
// three points, of times a half, of bytes a quarter, of a difference a half. None if a run did not get there.
std::optional<scenario::Expectation> widened(const scenario::Expectation& expectation, const Judgement& verdict);

}  // namespace ddl::jobs

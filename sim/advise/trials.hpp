// Runs that a search asks for one after the other: scenarios at several settings and seeds, each made once and kept.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/node/registry.hpp"
#include "sim/jobs/jobs.hpp"
#include "sim/run/rows/run_result.hpp"
#include "sim/scenario/metric.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::advise {

// What runs are judged by: how soon they reach a target of the metric or, without one, its value at their end.
struct Goal {
  std::optional<double> target;
  scenario::Metric metric = scenario::by_accuracy;
};

// When a run first reached a target, and what all nodes had sent by then.
struct Reached {
  double time_s = 0, bytes = 0;
};

// How one run did.
struct TrialResult {
  // The less the better. Without a target: the metric's cost. With one: the seconds to it; of a run that does not get
  // there its length T times (1 + how far it is behind), so that it is behind all that do, and the further the less it
  // learned. A run that diverged counts as one that learned nothing; one without a result has infinity.
  double score = 0;
  std::optional<Reached> target;     // of the goal
  double at_end = 0;                 // of the metric: mean over workers and over the last fifth of the evaluations
  std::vector<run::CurveRow> curve;  // the mean over workers
  std::string failure;               // why there is no result

  std::optional<Reached> reached(const scenario::Metric& metric, double value) const;
};

// Of a finished run; `length_s` is what it may take. Throws InputError.
TrialResult read_trial(const std::filesystem::path& folder, const Goal& goal, std::optional<double> length_s);

// Changes, and then more.
std::vector<scenario::Override> joined(std::vector<scenario::Override> changes,
                                       const std::vector<scenario::Override>& more);

// A scenario that is varied: its text, with what is set in all its runs. Results go to
// <folder>/<name>_<what is changed>/<seed>.
struct Base {
  std::string text, file;
  std::vector<scenario::Override> set;
  std::string name;
  std::filesystem::path folder;
};

struct Trial {
  std::size_t point = 0;  // of its Trials: a scenario
  std::uint64_t seed = 0;
  auto operator<=>(const Trial&) const = default;
};

struct TrialOptions {
  int at_once = 1;
  std::function<void(const jobs::RunsProgress&)> progress = {};
  std::function<bool(const Trial&)> may_start = {};  // asked before each run is made; by default each may be
  std::function<void(const Trial&)> ended = {};      // after each, before `progress`
  std::function<bool()> may_go_on = {};              // as jobs::JobOptions has it
};

class Trials {
 public:
  Trials(Registry systems, Goal goal) : systems_(std::move(systems)), goal_(goal) {}

  const Goal& goal() const { return goal_; }
  // The base with changes; the same changes are the same point. Throws ScenarioErrors.
  std::size_t point(const Base& base, const std::vector<scenario::Override>& changes);
  const scenario::Scenario& scenario(std::size_t point) const { return points_.at(point).scenario; }
  std::filesystem::path folder_of(const Trial& trial) const { return job_of(trial).folder; }
  // Null: there is no result yet.
  const TrialResult* known(const Trial& trial);
  // Of the time that a finished one could have taken, what it took; 1 where that is not known.
  double share_done(const Trial& trial);
  // Makes those that are not known; false if some could not start or go on. A run that fails is known as such. Throws
  // as run_jobs does, and InputError where a result cannot be written.
  bool run(const std::vector<Trial>& trials, const TrialOptions& options);

 private:
  struct Point {
    scenario::Scenario scenario;
    std::filesystem::path folder;
  };
  jobs::Job job_of(const Trial& trial) const;
  TrialResult read(const jobs::Job& job) const;

  Registry systems_;
  Goal goal_;
  std::deque<Point> points_;                             // a deque: jobs point into it
  std::map<std::string, std::size_t> numbers_;           // by base and changes
  std::map<Trial, std::optional<TrialResult>> results_;  // none: looked for, and not there
  jobs::FinishedRuns finished_;
  std::size_t made_ = 0, failed_ = 0, kept_ = 0;  // of all calls of run()
};

}  // namespace ddl::advise

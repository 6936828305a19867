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
#include "sim/scenario/metric.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::advise {

// What runs are judged by: how soon they reach a target of the metric or, without one, its value at their end.
struct Goal {
  std::optional<double> target;
  scenario::Metric metric = scenario::by_accuracy;
};

// How one run did.
struct TrialResult {
  // The less the better. Without a target: the metric's cost. With one: the seconds to it; of a run that does not get
  // there its length T times (1 + how far it is behind), so that it is behind all that do, and the further the less it
  // learned. A run that diverged counts as one that learned nothing; one without a result has infinity.
  double score = 0;
  std::optional<double> time_s, bytes;  // to the target
  double at_end = 0;                    // of the metric: mean over workers and over the last fifth of the evaluations
  std::string failure;                  // why there is no result
};

// Of a finished run; `length_s` is what it may take. Throws InputError.
TrialResult read_trial(const std::filesystem::path& folder, const Goal& goal, std::optional<double> length_s);

// When a finished run first reached a target of the metric, and what all nodes had sent by then; none if it never did.
struct Reached {
  double time_s = 0, bytes = 0;
};
std::optional<Reached> reached(const std::filesystem::path& folder, const scenario::Metric& metric, double target);

struct LabTrial {
  std::size_t point = 0;
  std::uint64_t seed = 0;
  auto operator<=>(const LabTrial&) const = default;
};

struct LabOptions {
  int at_once = 1;
  std::function<void(const jobs::RunsProgress&)> progress = {};
  std::function<bool(const LabTrial&)> may_start = {};  // asked before each run is made; by default each may be
  std::function<void(const LabTrial&)> ended = {};      // after each, before `progress`
  std::function<bool()> may_go_on = {};                 // as jobs::JobOptions has it
};

class Lab {
 public:
  Lab(Registry systems, Goal goal) : systems_(std::move(systems)), goal_(goal) {}

  // A scenario that is to be varied: its text, with what is set in all its runs. Results go to
  // <folder>/<name>_<what is changed>/<seed>.
  struct Base {
    std::string text, file;
    std::vector<scenario::Override> set;
    std::string name;
    std::filesystem::path folder;
  };
  // Throws ScenarioErrors.
  std::size_t add(Base base);
  // The base with changes; the same changes are the same point. Throws ScenarioErrors.
  std::size_t point(std::size_t base, const std::vector<scenario::Override>& changes);

  const scenario::Scenario& scenario(std::size_t point) const { return points_.at(point).scenario; }
  std::filesystem::path folder_of(const LabTrial& trial) const;
  // Null: there is no result yet.
  const TrialResult* known(const LabTrial& trial);
  // Makes those that are not known; false if some could not start or go on. A run that fails is known as such. Throws
  // as run_jobs does, and InputError where a result cannot be written.
  bool run(const std::vector<LabTrial>& trials, const LabOptions& options);

 private:
  struct Point {
    std::size_t base;
    scenario::Scenario scenario;
  };
  jobs::Job job_of(const LabTrial& trial) const;
  jobs::RunsProgress with_earlier(jobs::RunsProgress progress) const;

  Registry systems_;
  Goal goal_;
  std::vector<Base> bases_;
  std::deque<Point> points_;  // a deque: jobs point into it
  std::map<std::pair<std::size_t, std::string>, std::size_t> numbers_;
  std::map<LabTrial, std::optional<TrialResult>> results_;  // none: looked for, and not there
  jobs::FinishedRuns finished_;
  std::size_t made_ = 0, failed_ = 0, kept_ = 0;  // of all calls of run()
};

}  // namespace ddl::advise

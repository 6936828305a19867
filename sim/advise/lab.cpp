#include "sim/advise/lab.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/check.hpp"
#include "sim/jobs/sweep/run_sweep.hpp"
#include "sim/results/reading/finished_run.hpp"
#include "sim/results/reading/mean_curve.hpp"

namespace ddl::advise {
namespace fs = std::filesystem;
namespace {

constexpr double share_of_end = 0.2;  // of the evaluations: with plain SGD a single one may jump by ten points

double value_at_end(const std::vector<run::CurveRow>& rows, const scenario::Metric& metric) {
  if (rows.empty()) return metric.worst();
  const auto over = std::max<std::size_t>(1, static_cast<std::size_t>(share_of_end * static_cast<double>(rows.size())));
  double sum = 0;
  for (std::size_t i = rows.size() - over; i < rows.size(); ++i) sum += results::value_in(rows[i], metric);
  return sum / static_cast<double>(over);
}

std::optional<Reached> reached_in(const std::vector<run::CurveRow>& rows, const scenario::Metric& metric,
                                  double target) {
  const auto row = std::ranges::find_if(
      rows, [&](const run::CurveRow& one) { return metric.reaches(results::value_in(one, metric), target); });
  return row == rows.end() ? std::nullopt : std::optional(Reached{row->time_s, row->bytes_sent});
}

std::optional<double> length_of(const scenario::Scenario& scenario) {
  return scenario.stop.time ? std::optional(scenario.stop.time->value) : std::nullopt;
}

}  // namespace

std::optional<Reached> reached(const fs::path& folder, const scenario::Metric& metric, double target) {
  return reached_in(results::read_mean_curve(folder), metric, target);
}

TrialResult read_trial(const fs::path& folder, const Goal& goal, std::optional<double> length_s) {
  const results::FinishedRun run = results::read_finished(folder);
  const std::vector<run::CurveRow> rows = results::read_mean_curve(folder);
  const bool diverged = run.stopped_by == "diverged";
  TrialResult result;
  result.at_end = value_at_end(rows, goal.metric);
  const double learned = diverged ? goal.metric.worst() : result.at_end;
  if (!goal.target) {
    result.score = goal.metric.cost_of(learned);
    return result;
  }
  if (const auto place = reached_in(rows, goal.metric, *goal.target); place && !diverged) {
    result.time_s = place->time_s;
    result.bytes = place->bytes;
    result.score = place->time_s;
  } else {
    const double length = length_s.value_or(run.measure("simulated_seconds").value_or(0));
    result.score = length * (1 + goal.metric.behind(learned, *goal.target));
  }
  return result;
}

std::size_t Lab::add(Base base) {
  bases_.push_back(std::move(base));
  point(bases_.size() - 1, {});  // what is wrong with it comes out here
  return bases_.size() - 1;
}

std::size_t Lab::point(std::size_t base, const std::vector<scenario::Override>& changes) {
  const Base& from = bases_.at(base);
  std::string text;
  for (const scenario::Override& change : changes) text += change.path + "=" + change.value + "\n";
  if (const auto found = numbers_.find({base, text}); found != numbers_.end()) return found->second;
  std::vector<scenario::Override> all = from.set;
  all.insert(all.end(), changes.begin(), changes.end());
  scenario::Scenario scenario = scenario::parse_scenario(systems_, from.text, from.file, all);
  scenario.name = jobs::changed_name(from.name, changes);
  for (const Point& other : points_) {
    check(bases_[other.base].folder != from.folder || other.scenario.name != scenario.name,
          "two points of a search have two names");
  }
  points_.push_back({base, std::move(scenario)});
  numbers_[{base, text}] = points_.size() - 1;
  return points_.size() - 1;
}

fs::path Lab::folder_of(const LabTrial& trial) const { return job_of(trial).folder; }

jobs::Job Lab::job_of(const LabTrial& trial) const {
  const Point& point = points_.at(trial.point);
  const std::string name = point.scenario.name + "/" + std::to_string(trial.seed);
  return {&point.scenario, trial.seed, bases_[point.base].folder / name, name};
}

const TrialResult* Lab::known(const LabTrial& trial) {
  const auto [found, fresh] = results_.try_emplace(trial);
  if (fresh) {
    const jobs::Job job = job_of(trial);
    if (finished_.has(job)) {
      found->second = read_trial(job.folder, goal_, length_of(*job.scenario));
      ++kept_;
    }
  }
  return found->second ? &*found->second : nullptr;
}

bool Lab::run(const std::vector<LabTrial>& trials, const LabOptions& options) {
  std::vector<LabTrial> missing;
  for (const LabTrial& trial : trials) {
    if (known(trial) == nullptr && std::ranges::count(missing, trial) == 0) missing.push_back(trial);
  }
  std::vector<jobs::Job> jobs;
  for (const LabTrial& trial : missing) jobs.push_back(job_of(trial));
  std::vector<std::size_t> open(jobs.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  jobs::JobOptions running = jobs::sweep_jobs(options.at_once);
  if (options.may_start) running.may_start = [&](std::size_t job) { return options.may_start(missing[job]); };
  running.may_go_on = options.may_go_on;
  if (options.progress) {
    running.progress = [&](const jobs::RunsProgress& of_call) { options.progress(with_earlier(of_call)); };
  }
  std::size_t made = 0, failed = 0;
  jobs::run_jobs(jobs, open, running, [&](std::size_t job, const jobs::JobEnd& end) {
    TrialResult result;
    result.failure = jobs::why_failed(end);
    if (result.failure.empty()) {
      ++made;
      result = read_trial(jobs[job].folder, goal_, length_of(*jobs[job].scenario));
    } else {
      ++failed;
      result.score = std::numeric_limits<double>::infinity();
    }
    results_[missing[job]] = std::move(result);
    if (options.ended) options.ended(missing[job]);
  });
  made_ += made;
  failed_ += failed;
  return made + failed == missing.size();
}

// Counts those of earlier calls, too.
jobs::RunsProgress Lab::with_earlier(jobs::RunsProgress progress) const {
  progress.runs += made_ + failed_ + kept_;
  progress.finished += made_ + kept_;
  progress.failed += failed_;
  progress.kept = kept_;
  return progress;
}

}  // namespace ddl::advise

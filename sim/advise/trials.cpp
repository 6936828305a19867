#include "sim/advise/trials.hpp"

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

}  // namespace

std::optional<Reached> TrialResult::reached(const scenario::Metric& metric, double value) const {
  const auto row = std::ranges::find_if(
      curve, [&](const run::CurveRow& one) { return metric.reaches(results::value_in(one, metric), value); });
  return row == curve.end() ? std::nullopt : std::optional(Reached{row->time_s, row->bytes_sent});
}

TrialResult read_trial(const fs::path& folder, const Goal& goal, std::optional<double> length_s) {
  const results::FinishedRun run = results::read_finished(folder);
  const bool diverged = run.stopped_by == "diverged";
  TrialResult result;
  result.curve = results::read_mean_curve(folder);
  result.at_end = value_at_end(result.curve, goal.metric);
  const bool has_first = goal.metric.less_is_better && !result.curve.empty();
  const double nothing = has_first ? results::value_in(result.curve.front(), goal.metric) : goal.metric.worst();
  const double learned = diverged ? nothing : result.at_end;
  if (!goal.target) {
    result.score = goal.metric.cost_of(learned);
    return result;
  }
  if (!diverged) result.target = result.reached(goal.metric, *goal.target);
  const double length = length_s.value_or(run.measure("simulated_seconds").value_or(0));
  result.score = result.target ? result.target->time_s : length * (1 + goal.metric.behind(learned, *goal.target));
  return result;
}

std::vector<scenario::Override> joined(std::vector<scenario::Override> changes,
                                       const std::vector<scenario::Override>& more) {
  changes.insert(changes.end(), more.begin(), more.end());
  return changes;
}

std::size_t Trials::point(const Base& base, const std::vector<scenario::Override>& changes) {
  std::string key = (base.folder / base.name).string();
  for (const scenario::Override& change : changes) key += "\n" + change.path + "=" + change.value;
  if (const auto found = numbers_.find(key); found != numbers_.end()) return found->second;
  scenario::Scenario scenario = scenario::parse_scenario(systems_, base.text, base.file, joined(base.set, changes));
  scenario.name = jobs::changed_name(base.name, changes);
  const fs::path folder = base.folder / scenario.name;
  check(std::ranges::find(points_, folder, &Point::folder) == points_.end(), "two points of a search have two names");
  points_.push_back({std::move(scenario), folder});
  return numbers_[key] = points_.size() - 1;
}

jobs::Job Trials::job_of(const Trial& trial) const {
  const Point& point = points_.at(trial.point);
  const std::string seed = std::to_string(trial.seed);
  return {&point.scenario, trial.seed, point.folder / seed, point.scenario.name + "/" + seed};
}

TrialResult Trials::read(const jobs::Job& job) const {
  const auto& length = job.scenario->stop.time;
  return read_trial(job.folder, goal_, length ? std::optional(length->value) : std::nullopt);
}

const TrialResult* Trials::known(const Trial& trial) {
  const auto [found, fresh] = results_.try_emplace(trial);
  if (fresh) {
    const jobs::Job job = job_of(trial);
    if (finished_.has(job)) {
      found->second = read(job);
      ++kept_;
    }
  }
  return found->second ? &*found->second : nullptr;
}

double Trials::share_done(const Trial& trial) {
  const TrialResult* result = known(trial);
  const auto& length = scenario(trial.point).stop.time;
  if (result == nullptr || result->curve.empty() || !length) return 1;
  return std::clamp(result->curve.back().time_s / length->value, 0.01, 1.0);
}

bool Trials::run(const std::vector<Trial>& trials, const TrialOptions& options) {
  std::vector<Trial> missing;
  for (const Trial& trial : trials) {
    if (known(trial) == nullptr && std::ranges::count(missing, trial) == 0) missing.push_back(trial);
  }
  std::vector<jobs::Job> jobs;
  for (const Trial& trial : missing) jobs.push_back(job_of(trial));
  std::vector<std::size_t> open(jobs.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  jobs::JobOptions running = jobs::sweep_jobs(options.at_once);
  if (options.may_start) running.may_start = [&](std::size_t job) { return options.may_start(missing[job]); };
  running.may_go_on = options.may_go_on;
  if (options.progress) {
    const std::size_t made = made_, failed = failed_;
    running.progress = [&, made, failed](jobs::RunsProgress progress) {
      progress.runs += made + failed + kept_;
      progress.finished += made + kept_;
      progress.failed += failed;
      progress.kept = kept_;
      options.progress(progress);
    };
  }
  std::size_t ended = 0;
  jobs::run_jobs(jobs, open, running, [&](std::size_t job, const jobs::JobEnd& end) {
    TrialResult result;
    result.failure = jobs::why_failed(end);
    if (result.failure.empty()) {
      ++made_;
      result = read(jobs[job]);
    } else {
      ++failed_;
      result.score = std::numeric_limits<double>::infinity();
    }
    ++ended;
    results_[missing[job]] = std::move(result);
    if (options.ended) options.ended(missing[job]);
  });
  return ended == missing.size();
}

}  // namespace ddl::advise

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/check.hpp"
#include "sim/results/reading/mean_curve.hpp"
#include "sim/results/writing/summary.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::results {
namespace {

using scenario::Metric;

// The rows of the last evaluation. Two evaluations may fall on the same instant, but each has a worker only once.
std::vector<const run::CurveRow*> last_evaluation(const std::vector<run::CurveRow>& curve) {
  std::vector<const run::CurveRow*> rows;
  std::set<std::string> seen;
  for (auto row = curve.rbegin(); row != curve.rend(); ++row) {
    if (row->time_s != curve.back().time_s || !seen.insert(row->worker).second) break;
    rows.push_back(&*row);
  }
  return rows;
}

std::optional<FinalScore> final_score(const std::vector<const run::CurveRow*>& rows,
                                      std::optional<double> run::CurveRow::*measure) {
  std::optional<FinalScore> score;
  for (const run::CurveRow* row : rows) {
    if (row->worker == run::mean_of_workers && row->*measure) {
      score = FinalScore{*(row->*measure), *(row->*measure), *(row->*measure), std::nullopt};
    }
  }
  if (!score) return score;
  bool first = true;
  for (const run::CurveRow* row : rows) {
    const double value = (row->*measure).value();
    if (row->worker == run::averaged_model) {
      score->averaged_model = value;
    } else if (row->worker != run::mean_of_workers) {
      score->min = first ? value : std::min(score->min, value);
      score->max = first ? value : std::max(score->max, value);
      first = false;
    }
  }
  return score;
}

TargetReached reach(const std::vector<run::CurveRow>& curve, const Metric& metric, double target) {
  for (const run::CurveRow& row : curve) {
    if (row.worker == run::mean_of_workers && metric.reaches(value_in(row, metric), target))
      return {target, row.time_s, row.bytes_sent};
  }
  return {target, std::nullopt, std::nullopt};
}

// Null without evaluations.
const run::CurveRow* best_evaluation(const std::vector<run::CurveRow>& curve, const Metric& metric) {
  const run::CurveRow* best = nullptr;
  for (const run::CurveRow& row : curve) {
    if (row.worker != run::mean_of_workers) continue;
    if (best == nullptr || metric.is_better(value_in(row, metric), value_in(*best, metric))) best = &row;
  }
  return best;
}

std::optional<Distribution> step_times(const std::vector<run::IterationRow>& rows) {
  if (rows.empty()) return std::nullopt;
  std::vector<double> seconds;
  seconds.reserve(rows.size());
  for (const run::IterationRow& row : rows) seconds.push_back(row.end_s - row.start_s);
  return distribution_of(std::move(seconds));
}

// The run's time over the steps of the worker with the fewest: unlike the mean of its finished steps, it has what the
// worker waited for in vain when the run ended. Workers that took none idle.
std::optional<double> slowest_step(const run::RunResult& result) {
  std::optional<std::int64_t> fewest;
  for (const std::int64_t steps : result.steps) {
    if (steps > 0) fewest = std::min(fewest.value_or(steps), steps);
  }
  if (!fewest) return std::nullopt;
  return result.simulated_s / static_cast<double>(*fewest);
}

std::optional<Staleness> staleness_of(const std::vector<run::IterationRow>& rows) {
  if (rows.empty()) return std::nullopt;
  Staleness staleness;
  for (const run::IterationRow& row : rows) {
    staleness.mean += row.staleness;
    staleness.max = std::max(staleness.max, row.staleness);
  }
  staleness.mean /= static_cast<double>(rows.size());
  return staleness;
}

std::optional<BusiestLink> busiest(const std::vector<run::TrafficRow>& traffic) {
  std::optional<BusiestLink> link;
  for (const run::TrafficRow& row : traffic) {
    // Flows through a fat pipe do not share it, so that it cannot be busy.
    if (row.bytes <= 0 || row.direction == "free") continue;
    if (!link || row.utilisation > link->utilisation)
      link = BusiestLink{row.link + " " + row.direction, row.utilisation};
  }
  return link;
}

}  // namespace

Distribution distribution_of(std::vector<double> values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  std::sort(values.begin(), values.end());
  return {values.front(), mean, quantile(values, 0.5), quantile(values, 0.95), values.back()};
}

double quantile(const std::vector<double>& sorted, double q) {
  check(!sorted.empty(), "a quantile needs a sample");
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - std::floor(position)) * (sorted[above] - sorted[below]);
}

std::optional<double> goodput_of(const scenario::Scenario& scenario, const run::RunResult& result) {
  constexpr double enough = 8;  // steps
  if (result.absences.empty()) return std::nullopt;
  const double away_s = std::ranges::min(result.absences, {}, &run::TraceInterval::start_s).start_s;
  struct Steps {
    std::optional<double> begin_s;    // end of the first period
    double steady_s = 0, steady = 0;  // in whole periods from there
    double last_s = 0;                // end of the last step
  };
  std::vector<Steps> of_workers(result.steps.size());
  for (const run::IterationRow& row : result.iterations) {
    Steps& worker = of_workers.at(static_cast<std::size_t>(row.worker));
    worker.last_s = row.end_s;
    const std::int64_t made = row.iteration + 1, period = scenario.algorithm->period();
    if (row.end_s >= away_s || made % period != 0) continue;
    if (!worker.begin_s) worker.begin_s = row.end_s;
    worker.steady_s = row.end_s - *worker.begin_s;
    worker.steady = static_cast<double>(made - period);
  }
  Steps all;
  for (const Steps& worker : of_workers) {
    all.steady_s += worker.steady_s;
    all.steady += worker.steady;
  }
  if (all.steady < enough) return std::nullopt;
  double made = 0, expected = 0;
  for (std::size_t i = 0; i < of_workers.size(); ++i) {
    const Steps& worker = of_workers[i];
    if (scenario.algorithm->facts().one_trains && result.steps[i] == 0) continue;  // idle
    made += static_cast<double>(result.steps[i]);
    const Steps& steady = worker.steady < enough ? all : worker;
    const double until_s = scenario.stop.iterations == result.steps[i] ? worker.last_s : result.simulated_s;
    expected += std::floor(until_s * steady.steady / steady.steady_s + 1e-9);
  }
  if (expected == 0) return std::nullopt;
  return (made - static_cast<double>(result.faults ? result.faults->steps_unshared : 0)) / expected;
}

Summary summarise(const scenario::Scenario& scenario, const run::RunResult& result) {
  const Metric& metric = scenario.evaluate.judged_by();
  Summary summary;
  summary.iterations = std::accumulate(result.steps.begin(), result.steps.end(), std::int64_t{0});
  if (!scenario.model.none()) {
    const auto rows = last_evaluation(result.curve);
    summary.final_accuracy = final_score(rows, &run::CurveRow::test_accuracy);
    summary.final_loss = final_score(rows, &run::CurveRow::test_loss);
    std::vector<const run::CurveRow*> replicas;
    for (const run::CurveRow& row : result.replicas) replicas.push_back(&row);
    summary.replica_accuracy = final_score(replicas, &run::CurveRow::test_accuracy);
    summary.replica_loss = final_score(replicas, &run::CurveRow::test_loss);
    if (const run::CurveRow* best = best_evaluation(result.curve, metric)) {
      summary.best = value_in(*best, metric);
      summary.best_s = best->time_s;
    }
  }
  for (const double target : scenario.evaluate.targets()) {
    summary.targets.push_back(reach(result.curve, metric, target));
  }
  summary.seconds_per_batch = step_times(result.iterations);
  summary.slowest_step_s = slowest_step(result);
  if (result.epochs > 0) summary.time_per_epoch_s = result.simulated_s / result.epochs;
  summary.busiest_link = busiest(result.traffic);
  summary.staleness = staleness_of(result.iterations);
  for (const double compute_s : result.compute_s) {
    const double busy = result.simulated_s > 0 ? compute_s / result.simulated_s : 0;
    summary.idle_fraction.push_back(std::clamp(1 - busy, 0.0, 1.0));
    summary.compute_utilisation += std::clamp(busy, 0.0, 1.0) / static_cast<double>(result.compute_s.size());
  }
  summary.goodput = goodput_of(scenario, result);
  for (const run::GivenUp& given_up : result.given_up) ++summary.given_up[static_cast<std::size_t>(given_up.worker)];
  return summary;
}

}  // namespace ddl::results

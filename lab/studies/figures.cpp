#include "lab/studies/figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <ranges>

#include "sim/results/reading/mean_curve.hpp"
#include "sim/results/reading/read_rows.hpp"

namespace ddl::studies {
namespace {

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) result[order[i]] = static_cast<double>(first + last) / 2;
    first = last + 1;
  }
  return result;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

}  // namespace

Reading measured(const std::string& key) {
  return [key](const results::FinishedRun& run) { return run.measure(key); };
}

Reading final_accuracy_percent(std::size_t evaluations) {
  return [evaluations](const results::FinishedRun& run) -> std::optional<double> {
    double sum = 0;
    std::size_t count = 0;
    for (const run::CurveRow& row : results::read_mean_curve(run.folder) | std::views::reverse) {
      if (count == evaluations || (count > 0 && row.iteration == 0)) break;
      sum += 100 * row.test_accuracy;
      ++count;
    }
    return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
  };
}

Reading seconds_to(double accuracy) { return measured(results::time_to(accuracy)); }

Reading steps_to(double accuracy) {
  return [accuracy](const results::FinishedRun& run) -> std::optional<double> {
    for (const run::CurveRow& row : results::read_mean_curve(run.folder)) {
      if (row.test_accuracy >= accuracy) return row.iteration * static_cast<double>(run.workers.size());
    }
    return std::nullopt;
  };
}

Reading fluctuation_percent() {
  return [](const results::FinishedRun& run) -> std::optional<double> {
    std::map<std::string, std::vector<double>> curves;  // by worker
    results::read_rows<run::CurveRow>(run.folder, [&](const run::CurveRow& row) {
      if (row.worker != run::mean_of_workers && row.worker != run::averaged_model)
        curves[row.worker].push_back(100 * row.test_accuracy);
    });
    double sum = 0;
    for (const auto& [worker, accuracy] : curves) {
      if (accuracy.size() < 2) return std::nullopt;
      double way = 0;
      for (std::size_t i = 1; i < accuracy.size(); ++i) way += std::abs(accuracy[i] - accuracy[i - 1]);
      sum += (way - std::abs(accuracy.back() - accuracy.front())) / static_cast<double>(accuracy.size() - 1);
    }
    return curves.empty() ? std::nullopt : std::optional(sum / static_cast<double>(curves.size()));
  };
}

Reading answers_percent(const std::string& host) {
  return [host](const results::FinishedRun& run) -> std::optional<double> {
    results::NodeNames nodes;
    double answers = 0, right = 0;
    results::read_rows<Answer>(run.folder, nodes, [&](const Answer& answer) {
      if (nodes[answer.exit] != host) return;
      ++answers;
      if (answer.correct) ++right;
    });
    return answers > 0 ? std::optional(100 * right / answers) : std::nullopt;
  };
}

Reading seconds_per_cycle() {
  return [](const results::FinishedRun& run) -> std::optional<double> {
    std::map<int, std::pair<double, double>> workers;  // sum, count
    results::NodeNames nodes;
    results::read_rows<run::IterationRow>(run.folder, nodes, [&](const run::IterationRow& row) {
      workers[row.worker].first += row.end_s - row.start_s;
      workers[row.worker].second += 1;
    });
    if (workers.empty()) return std::nullopt;
    double mean = 0;
    for (const auto& [worker, steps] : workers) mean += steps.first / steps.second;
    return mean / static_cast<double>(workers.size());
  };
}

namespace {

// What each step took, in seconds, in rising order.
std::vector<double> step_times(const results::FinishedRun& run) {
  std::vector<double> seconds;
  results::read_rows<run::IterationRow>(
      run.folder, [&](const run::IterationRow& row) { seconds.push_back(row.end_s - row.start_s); });
  std::ranges::sort(seconds);
  return seconds;
}

}  // namespace

Reading seconds_of_step(double percent) {
  return [percent](const results::FinishedRun& run) -> std::optional<double> {
    const std::vector<double> seconds = step_times(run);
    if (seconds.empty()) return std::nullopt;
    const double place = std::ceil(percent / 100 * static_cast<double>(seconds.size()));
    return seconds[static_cast<std::size_t>(std::max(place, 1.0)) - 1];
  };
}

Reading percent_of_steps(double from, double to) {
  return [from, to](const results::FinishedRun& run) -> std::optional<double> {
    const std::vector<double> seconds = step_times(run);
    if (seconds.empty()) return std::nullopt;
    const auto count = std::ranges::lower_bound(seconds, to) - std::ranges::lower_bound(seconds, from);
    return 100 * static_cast<double>(count) / static_cast<double>(seconds.size());
  };
}

Reading of_minibatches(std::optional<double> run::IterationRow::*value, double part, int steps, double factor) {
  return [=](const results::FinishedRun& run) -> std::optional<double> {
    double sum = 0, count = 0;
    results::read_rows<run::IterationRow>(run.folder, [&](const run::IterationRow& row) {
      const auto step = static_cast<double>(row.iteration);
      if (step < (part - 0.05) * steps || step >= part * steps || !(row.*value)) return;
      sum += *(row.*value);
      ++count;
    });
    return count > 0 ? std::optional(factor * sum / count) : std::nullopt;
  };
}

Reading points_learnt_late() {
  return [](const results::FinishedRun& run) -> std::optional<double> {
    const std::vector<run::CurveRow> curve = results::read_mean_curve(run.folder);
    for (const run::CurveRow& row : curve) {
      if (row.iteration < 0.149 * curve.back().iteration) continue;
      return *final_accuracy_percent(3)(run) - 100 * row.test_accuracy;
    }
    return std::nullopt;
  };
}

double rank_correlation(const Outcome& outcome, const std::string& table, const std::string& without) {
  std::vector<double> published, simulated;
  for (const Outcome::Value& value : outcome.values()) {
    if (value.place.table != table || !value.published || !value.simulated || value.place.row.at(0) == without)
      continue;
    published.push_back(*value.published);
    simulated.push_back(*value.simulated);
  }
  return correlation(ranks(published), ranks(simulated));
}

Pairs pairs_of(const Outcome& outcome, const std::vector<Outcome::Value>& figures) {
  using Group = std::pair<std::vector<std::string>, std::string>;  // labels but the last, and the column
  std::map<Group, std::vector<const Outcome::Value*>> groups;
  for (const Outcome::Value& figure : figures) {
    const std::vector<std::string>& row = figure.place.row;
    groups[{{row.begin(), row.end() - 1}, figure.place.column}].push_back(&figure);
  }
  Pairs pairs;
  for (const auto& [labels, group] : groups) {
    for (const Outcome::Value* less : group) {
      for (const Outcome::Value* more : group) {
        if (!less->range || !more->range || less->range->most >= more->range->least) continue;
        ++pairs.all;
        pairs.reversed += outcome.number(less->place) < outcome.number(more->place) ? 0 : 1;
      }
    }
  }
  return pairs;
}

std::vector<Outcome::Value> places_of(const Study& study) {
  std::vector<Outcome::Value> places;
  for (const Outcome::Value& value : study.derived) places.push_back({value.place, value.published, {}});
  for (const Cell& cell : study.cells) {
    for (const Figure& figure : cell.figures) {
      places.push_back({.place = figure.place, .published = figure.published, .simulated = {}, .range = figure.range});
    }
  }
  return places;
}

}  // namespace ddl::studies

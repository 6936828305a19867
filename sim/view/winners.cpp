#include "sim/view/winners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/check.hpp"
#include "sim/results/reading/statistics.hpp"
#include "sim/scenario/reading/words.hpp"
#include "sim/view/plots/panels.hpp"
#include "sim/view/targets.hpp"

namespace ddl::view {
namespace {

std::vector<std::string> values_of(const results::GroupedRuns& runs, std::size_t column) {
  std::set<std::string> values;
  for (const results::RunGroup& group : runs.groups) values.insert(group.varied.at(column));
  std::vector<std::string> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end(), value_less);
  return sorted;
}

std::size_t position_in(const std::vector<std::string>& list, const std::string& item) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), item) - list.begin());
}

// The columns of runs.varied that span the map.
std::pair<std::size_t, std::size_t> axes_of(const results::GroupedRuns& runs) {
  if (runs.varied.size() != 2) {
    throw InputError(
        fmt::format("a map needs two settings that vary beside the scheme, but {}; expected a sweep over "
                    "platform.bandwidth and platform.workers, for instance",
                    runs.varied.empty() ? "none does" : "these do: " + scenario::listed(runs.varied)));
  }
  const bool workers_first = is_of_workers(runs.varied[0]);
  return workers_first ? std::pair<std::size_t, std::size_t>{1, 0} : std::pair<std::size_t, std::size_t>{0, 1};
}

// A system in a cell of the map.
struct Entry {
  std::size_t scheme;
  results::Estimate estimate;
  std::size_t group;
};

// Whether the first differs from the second, corrected for its comparisons with all.
std::optional<bool> is_clear(const std::vector<Entry>& ranked, const results::GroupedRuns& runs,
                             const std::string& measure) {
  std::vector<double> p;
  for (std::size_t other = 1; other < ranked.size(); ++other) {
    const auto one = results::difference_p(runs.groups[ranked[0].group], runs.groups[ranked[other].group], measure);
    if (other == 1 && !one) return std::nullopt;
    if (one) p.push_back(*one);
  }
  if (p.empty()) return std::nullopt;
  return results::holm(p).front() < results::significance;
}

// `target` of a map of times.
void fill(WinnerMap& map, const results::GroupedRuns& runs, const std::pair<std::size_t, std::size_t>& axes,
          std::optional<double> target = std::nullopt) {
  const auto baselines = results::baselines_of(runs);
  std::vector<std::vector<std::vector<Entry>>> entries(map.rows.size(),
                                                       std::vector<std::vector<Entry>>(map.columns.size()));
  for (std::size_t index = 0; index < runs.groups.size(); ++index) {
    const results::RunGroup& group = runs.groups[index];
    if (group.diverged() > 0 || group.count_with(map.measure) < group.runs.size()) continue;
    const results::Estimate estimate = *group.estimate_of(map.measure);
    if (map.measure.starts_with("bytes_to_") && estimate.mean == 0) continue;  // one worker alone would win everywhere
    const std::size_t row = position_in(map.rows, group.varied[axes.second]);
    const std::size_t column = position_in(map.columns, group.varied[axes.first]);
    entries[row][column].push_back({position_in(map.schemes, group.scheme), estimate, index});
  }
  const scenario::Metric* metric = results::metric_of(map.measure);  // otherwise less is better
  const double sign = metric != nullptr && !metric->less_is_better ? -1 : 1;
  map.cells.assign(map.rows.size(), std::vector<std::optional<Winner>>(map.columns.size()));
  for (std::size_t row = 0; row < map.rows.size(); ++row) {
    for (std::size_t column = 0; column < map.columns.size(); ++column) {
      std::vector<Entry>& here = entries[row][column];
      if (here.empty()) continue;
      std::stable_sort(here.begin(), here.end(),
                       [&](const Entry& a, const Entry& b) { return sign * a.estimate.mean < sign * b.estimate.mean; });
      Winner winner{here[0].scheme, here[0].estimate.mean, std::nullopt, std::nullopt};
      const auto baseline = baselines[here[0].group];
      if (target && baseline) {
        winner.against_one = results::against_one(runs.groups[here[0].group], runs.groups[*baseline], *target);
      }
      winner.clear = is_clear(here, runs, map.measure);
      map.cells[row][column] = winner;
    }
  }
}

bool is_full(const WinnerMap& map) {
  for (const auto& row : map.cells) {
    if (std::find(row.begin(), row.end(), std::nullopt) != row.end()) return false;
  }
  return true;
}

}  // namespace

WinnerMap winners_of(const results::GroupedRuns& runs, const std::string& what, std::optional<double> target) {
  const std::vector<std::string> words = {"accuracy", "loss", "time", "bytes"};
  if (!what.empty() && std::find(words.begin(), words.end(), what) == words.end()) {
    throw InputError("--y: " + scenario::in_quotes(what) + " is not available for a map; " +
                     scenario::nearest_or(what, words, "expected one of " + scenario::listed(words)));
  }
  const auto axes = axes_of(runs);
  const std::vector<double> targets = shared_targets(runs);
  WinnerMap map;
  map.x = runs.varied[axes.first];
  map.y = runs.varied[axes.second];
  map.columns = values_of(runs, axes.first);
  map.rows = values_of(runs, axes.second);
  for (const results::RunGroup& group : runs.groups) {
    if (position_in(map.schemes, group.scheme) == map.schemes.size()) map.schemes.push_back(group.scheme);
  }
  const bool to_target = what == "time" || what == "bytes" || (what.empty() && !targets.empty());
  if (!to_target) {
    if (target) throw InputError("--target: is for --y time and --y bytes");
    map.measure = results::final_of(what.empty()     ? runs.metric()
                                    : what == "loss" ? scenario::by_loss
                                                     : scenario::by_accuracy);
    fill(map, runs, axes);
    return map;
  }
  const std::string key = results::key_of_targets(runs.metric());
  if (targets.empty() || (target && std::find(targets.begin(), targets.end(), *target) == targets.end())) {
    throw InputError(target ? fmt::format("--target: {} is none of {}: {}", *target, key, fmt::join(targets, ", "))
                            : "--y " + what + ": needs " + key + " in the runs' scenarios");
  }
  std::vector<double> candidates = target ? std::vector<double>{*target} : targets;
  candidates.push_back(candidates.front());  // if none is reached everywhere
  for (const double candidate : candidates) {
    map.measure =
        what == "bytes" ? results::bytes_to(candidate, runs.metric()) : results::time_to(candidate, runs.metric());
    fill(map, runs, axes, what == "bytes" ? std::nullopt : std::optional(candidate));
    if (is_full(map)) break;
  }
  return map;
}

}  // namespace ddl::view

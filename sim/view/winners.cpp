#include "sim/view/winners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/check.hpp"
#include "sim/scenario/reading/words.hpp"
#include "sim/view/answer.hpp"
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

// `target` of a map of times.
void fill(WinnerMap& map, const results::GroupedRuns& runs, const std::pair<std::size_t, std::size_t>& axes,
          std::optional<double> target = std::nullopt) {
  const auto baselines = results::baselines_of(runs);
  const scenario::Metric* metric = results::metric_of(map.measure);
  map.cells.assign(map.rows.size(), std::vector<std::optional<Winner>>(map.columns.size()));
  for (const Ranking& ranking : ranked_by(runs, map.measure, metric == nullptr || metric->less_is_better).rankings) {
    const Ranked& first = ranking.order.front();
    const results::RunGroup& group = runs.groups[first.group];
    Winner winner{position_in(map.schemes, group.scheme), first.value->mean, ranking.clear, std::nullopt};
    const auto baseline = baselines[first.group];
    if (target && baseline) winner.against_one = results::against_one(group, runs.groups[*baseline], *target);
    const std::size_t row = position_in(map.rows, ranking.condition[axes.second]);
    map.cells[row][position_in(map.columns, ranking.condition[axes.first])] = winner;
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
  std::vector<double> candidates =
      target || targets.empty() ? std::vector<double>{chosen_target(runs, target)} : targets;
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

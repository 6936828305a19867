#include "sim/results/reading/baseline.hpp"

#include <map>

namespace ddl::results {
namespace {

// Of groups whose every run gets there, and came to its end.
std::optional<double> mean_time(const RunGroup& group, double target) {
  const auto estimate = group.estimate_of(time_to(target, group.runs.front().metric));
  if (!estimate || estimate->count < group.runs.size() || group.diverged() > 0) return std::nullopt;
  return estimate->mean;
}

}  // namespace

bool is_one_worker(const RunGroup& group) { return group.runs.front().setting("algorithm.name") == "single"; }

std::vector<std::optional<std::size_t>> baselines_of(const GroupedRuns& runs) {
  std::map<std::vector<std::string>, std::size_t> of_condition;
  for (std::size_t i = 0; i < runs.groups.size(); ++i) {
    if (is_one_worker(runs.groups[i])) of_condition.emplace(runs.groups[i].varied, i);
  }
  std::vector<std::optional<std::size_t>> baselines(runs.groups.size());
  for (std::size_t i = 0; i < runs.groups.size(); ++i) {
    const auto found = of_condition.find(runs.groups[i].varied);
    if (found != of_condition.end() && !is_one_worker(runs.groups[i])) baselines[i] = found->second;
  }
  return baselines;
}

std::optional<AgainstOne> against_one(const RunGroup& group, const RunGroup& one, double target) {
  const auto time_s = mean_time(group, target), one_s = mean_time(one, target);
  if (!time_s && !one_s) return std::nullopt;
  if (!time_s || !one_s) return AgainstOne{std::nullopt, time_s.has_value()};
  if (*time_s == 0) return AgainstOne{*one_s == 0 ? std::optional(1.0) : std::nullopt, *one_s > 0};
  return AgainstOne{*one_s / *time_s, *time_s < *one_s};
}

}  // namespace ddl::results

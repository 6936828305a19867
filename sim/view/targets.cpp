#include "sim/view/targets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "core/base/check.hpp"

namespace ddl::view {
namespace {

bool is_reached(const results::RunGroup& group, double target) {
  return group.count_with(results::time_to(target, group.runs.front().metric)) == group.runs.size();
}

}  // namespace

std::vector<double> shared_targets(const results::GroupedRuns& runs) {
  std::vector<double> targets = runs.groups.front().runs.front().targets;
  for (const results::RunGroup& group : runs.groups) {
    const std::vector<double>& theirs = group.runs.front().targets;
    std::erase_if(targets, [&](double t) { return std::find(theirs.begin(), theirs.end(), t) == theirs.end(); });
  }
  std::ranges::sort(targets, [&](double a, double b) { return runs.metric().is_better(a, b); });
  return targets;
}

double telling_target(const results::GroupedRuns& runs) {
  for (const double target : shared_targets(runs)) {
    std::map<std::vector<std::string>, bool> reached;
    for (const results::RunGroup& group : runs.groups) {
      bool& here = reached[group.varied];
      here = here || is_reached(group, target);
    }
    if (std::ranges::all_of(reached, [](const auto& condition) { return condition.second; })) return target;
  }
  return chosen_target(runs, std::nullopt);
}

double chosen_target(const results::GroupedRuns& runs, std::optional<double> asked) {
  const std::vector<double> targets = shared_targets(runs);
  if (targets.empty())
    throw InputError("a target: needs " + results::key_of_targets(runs.metric()) + " in the runs' scenarios");
  if (asked) {
    if (std::find(targets.begin(), targets.end(), *asked) != targets.end()) return *asked;
    throw InputError(fmt::format("--target: {} is none of {}: {}", *asked, results::key_of_targets(runs.metric()),
                                 fmt::join(targets, ", ")));
  }
  double best = targets.front();
  std::ptrdiff_t most = -1;
  for (const double target : targets) {
    const auto reach = std::ranges::count_if(runs.groups, [&](const auto& group) { return is_reached(group, target); });
    if (reach <= most) continue;
    most = reach;
    best = target;
  }
  return best;
}

}  // namespace ddl::view

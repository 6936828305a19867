#include "sim/search/budget.hpp"

#include <algorithm>
#include <set>

namespace ddl::search {

std::optional<double> Budget::cost(std::size_t scheme, double length) const {
  const auto found = costs_.find(scheme);
  if (found == costs_.end()) return std::nullopt;
  return found->second.share * length / found->second.length;
}

double Budget::cost(const std::vector<BudgetedRun>& runs) const {
  double sum = 0, most = 0;
  for (const BudgetedRun& run : runs) {
    const double one = cost(run.scheme, run.length).value_or(0);
    sum += one, most = std::max(most, one);
  }
  return std::max(most, sum / at_once_);
}

bool Budget::fits(const std::vector<BudgetedRun>& runs) const { return used() + cost(runs) <= 1; }

std::size_t Budget::run(Lab& lab, const std::vector<RunGroup>& groups, const LabOptions& options) {
  struct Place {
    const BudgetedRun* run;
    std::size_t group;
  };
  std::map<LabTrial, Place> places;
  std::vector<LabTrial> trials;
  std::vector<std::vector<BudgetedRun>> missing(groups.size());
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (const BudgetedRun& run : groups[group].runs) {
      if (lab.known(run.trial) != nullptr || !places.try_emplace(run.trial, Place{&run, group}).second) continue;
      trials.push_back(run.trial);
      missing[group].push_back(run);
    }
  }
  std::set<std::size_t> begun;  // groups
  std::map<LabTrial, double> started;
  std::size_t made = 0;
  LabOptions limited = options;
  limited.ended = [&](const LabTrial&) { ++made; };
  if (used_) {
    limited.may_start = [&](const LabTrial& trial) {
      const Place& place = places.at(trial);
      if (!begun.contains(place.group)) {
        if (used() >= groups[place.group].begin_before || !fits(missing[place.group])) return false;
        begun.insert(place.group);
      }
      started[trial] = used();
      return true;
    };
    limited.may_go_on = [&] { return used() < 1; };
    limited.ended = [&](const LabTrial& trial) {
      ++made;
      const BudgetedRun& run = *places.at(trial).run;
      const double share = used() - started.at(trial);
      Cost& cost = costs_.try_emplace(run.scheme, Cost{run.length, share}).first->second;
      if (run.length > cost.length) {
        cost = {run.length, share};
      } else if (run.length == cost.length) {
        cost.share = std::max(cost.share, share);
      }
    };
  }
  lab.run(trials, limited);
  return made;
}

}  // namespace ddl::search

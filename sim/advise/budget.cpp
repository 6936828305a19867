#include "sim/advise/budget.hpp"

#include <algorithm>
#include <set>

namespace ddl::advise {

std::optional<double> Budget::cost(std::size_t scheme, double length) const {
  const auto found = costs_.find(scheme);
  if (found == costs_.end()) return std::nullopt;
  return found->second.share * length / found->second.length;
}

double Budget::cost(const std::vector<BudgetedRun>& runs) const {
  return end_of(runs, std::vector<double>(static_cast<std::size_t>(at_once_), 0.0));
}

double Budget::end_of(const std::vector<BudgetedRun>& runs, std::vector<double> free) const {
  double end = 0;
  for (const BudgetedRun& run : runs) {
    const auto core = std::ranges::min_element(free);
    *core += cost(run.scheme, run.length).value_or(0);
    end = std::max(end, *core);
  }
  return end;
}

bool Budget::fits(const std::vector<BudgetedRun>& runs, double leave, const std::map<LabTrial, AtWork>& at_work) const {
  const double now = used();
  std::vector<double> free(static_cast<std::size_t>(at_once_), now);
  auto core = free.begin();
  for (const auto& [trial, one] : at_work) {
    *core++ = std::max(now, one.since + cost(one.run->scheme, one.run->length).value_or(0));
  }
  return end_of(runs, std::move(free)) + leave <= 1;
}

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
  std::map<LabTrial, AtWork> at_work;
  std::size_t made = 0;
  LabOptions limited = options;
  limited.ended = [&](const LabTrial&) { ++made; };
  if (used_) {
    limited.may_start = [&](const LabTrial& trial) {
      const Place& place = places.at(trial);
      if (!begun.contains(place.group)) {
        const RunGroup& group = groups[place.group];
        if (used() >= group.begin_before || !fits(missing[place.group], group.leave, at_work)) return false;
        begun.insert(place.group);
      }
      at_work[trial] = {place.run, used()};
      return true;
    };
    limited.may_go_on = [&] { return used() < 1; };
    limited.ended = [&](const LabTrial& trial) {
      ++made;
      const BudgetedRun& run = *places.at(trial).run;
      const double share = used() - at_work.at(trial).since;
      at_work.erase(trial);
      if (run.length > 1) return;  // says little of a whole run
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

}  // namespace ddl::advise

#include "sim/advise/budget.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace ddl::advise {

double Budget::start() const {
  std::optional<double> least;
  for (const auto& [scheme, costs] : costs_) {
    const auto [length, share] = *costs.begin();
    const auto [whole_length, whole_share] = *costs.rbegin();
    if (whole_length < 2 * length) continue;  // too near each other to tell the start from noise
    const double start = (share * whole_length - whole_share * length) / (whole_length - length);
    least = std::min(least.value_or(1), std::clamp(start, 0.0, share));
  }
  return least.value_or(0);
}

double Budget::cost(std::size_t scheme, double length) const {
  const auto found = costs_.find(scheme);
  if (found == costs_.end()) return 0;
  const auto [known_length, share] = *found->second.rbegin();
  const double start = std::min(this->start(), share);
  return start + (share - start) * length / known_length;
}

double Budget::end_of(const std::vector<BudgetedRun>& runs, std::vector<double> free) const {
  double end = 0;
  for (const BudgetedRun& run : runs) {
    const auto core = std::ranges::min_element(free);
    *core += cost(run.scheme, run.length);
    end = std::max(end, *core);
  }
  return end;
}

bool Budget::may_begin(const RunGroup& group, const std::map<Trial, AtWork>& at_work) const {
  const double now = used();
  std::vector<double> free(cores_, now);
  auto core = free.begin();
  for (const auto& [trial, one] : at_work) {
    *core++ = std::max(now, one.since + cost(one.run.scheme, one.run.length));
  }
  return now < group.begin_before && end_of(group.runs, std::move(free)) + group.leave <= 1;
}

void Budget::note_end(const AtWork& ended, double share_done) {
  if (ended.run.length > 1) return;  // says little of a whole run
  double& most = costs_[ended.run.scheme][ended.run.length * share_done];
  most = std::max(most, used() - ended.since);
}

std::size_t Budget::run(Trials& trials, std::vector<RunGroup> groups, const TrialOptions& options) {
  struct Place {
    const RunGroup* group;
    BudgetedRun run;
  };
  std::map<Trial, Place> places;
  std::vector<Trial> order;
  for (RunGroup& group : groups) {
    std::erase_if(group.runs, [&](const BudgetedRun& run) { return trials.known(run.trial) != nullptr; });
    for (const BudgetedRun& run : group.runs) {
      if (places.try_emplace(run.trial, Place{&group, run}).second) order.push_back(run.trial);
    }
  }
  std::set<const RunGroup*> begun;
  std::map<Trial, AtWork> at_work;
  std::size_t made = 0;
  TrialOptions limited = options;
  limited.may_start = [&](const Trial& trial) {
    const Place& place = places.at(trial);
    if (used_ && !begun.contains(place.group) && !may_begin(*place.group, at_work)) return false;
    begun.insert(place.group);
    at_work[trial] = {place.run, used()};
    return true;
  };
  limited.ended = [&](const Trial& trial) {
    ++made;
    note_end(at_work.extract(trial).mapped(), trials.share_done(trial));
  };
  limited.may_go_on = [&] { return used() < 1; };
  trials.run(order, limited);
  return made;
}

}  // namespace ddl::advise

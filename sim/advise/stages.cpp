// The runs of an advice, stage by stage: tuning, the race, other conditions. Each has a share of the budget and goes
// from the best contender so far to the worst.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/advise/advise.hpp"
#include "sim/jobs/jobs_folder.hpp"

namespace ddl::advise {
namespace {

// Of the field: the baseline and those that did best in short runs. Shares of the budget at which the short runs of all
// and then its own stages end: tuning; contenders that join the race, and all of it; other conditions. What is left is
// for the other contenders.
constexpr std::size_t field_size = 5;
constexpr double short_share = 0.25, tuning_share = 0.5, join_share = 0.65, race_share = 0.75, conditions_share = 0.95;
constexpr double room_for_race = 1.2;  // of what the least race is expected to cost

}  // namespace

class Stages {
 public:
  Stages(Adviser& adviser, const AdviseOptions& options)
      : adviser_(adviser),
        budget_(options.used, options.at_once),
        options_(options),
        begin_(budget_.used()),
        first_look_(looks_of(adviser.request_.seeds.size()).front()) {}

  void run() {
    tune_shortly();
    const std::vector<std::size_t> turns = adviser_.advice().turns;
    const std::set<std::size_t> field(turns.begin(),
                                      turns.begin() + static_cast<std::ptrdiff_t>(std::min(field_size, turns.size())));
    for (const bool all : {false, true}) {
      const auto in = [&](std::size_t i) { return all || field.contains(i); };
      const auto until = [&](double share) { return all ? 1 : at(share); };
      tune(in, until(tuning_share));
      race(in, until(join_share), until(race_share));
      run_conditions(until(conditions_share));
    }
  }

 private:
  // A share of what was left of the budget at the first run, as a share of the whole: candidates were found before.
  double at(double share) const { return begin_ + share * (1 - begin_); }
  bool make(const std::string& stage, std::vector<RunGroup> groups) {
    if (groups.empty()) return false;
    if (options_.stage) options_.stage(stage);
    return budget_.run(adviser_.trials_, std::move(groups), {options_.at_once, options_.progress}) > 0;
  }

  // What the least race is expected to cost: of the baseline and the best of the others.
  double least_race(const Advice& now) const {
    if (now.race.looked_after > 0) return 0;
    std::vector<BudgetedRun> runs;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, now.turns.size()); ++i) {
      runs.insert(runs.end(), first_look_, {{}, now.turns[i], 1});
    }
    return budget_.cost(runs);
  }

  // What tuning asks for next of some; nothing that is of no use without what it has no room for.
  bool tune_next(const std::string& runs, const auto& chosen, double begin_before) {
    const Advice now = adviser_.advice();
    const double least = least_race(now);
    // Where not even the race fits, tuning is all that there is.
    const bool keeps_room = budget_.used() + least <= 1;
    std::vector<RunGroup> groups;
    for (const BudgetedRun& run : now.open_tuning) {
      if (chosen(run)) groups.push_back({{run}, keeps_room ? begin_before : 1, keeps_room ? room_for_race * least : 0});
    }
    return make("tuning, " + runs, std::move(groups));
  }

  void tune_shortly() {
    while (tune_next(
        "short runs", [](const BudgetedRun& run) { return run.length < 1; }, at(short_share))) {
    }
  }

  void tune(const auto& in, double until) {
    while (tune_next(
        "whole runs", [&](const BudgetedRun& run) { return in(run.scheme); }, until)) {
    }
  }

  void race(const auto& in, double join_until, double until) {
    const Advice before = adviser_.advice();
    std::vector<RunGroup> joining;
    for (const std::size_t i : before.turns) {
      if (!in(i) || !before.race.entrants[i].waits) continue;
      RunGroup group{{}, before.race.looked_after == 0 && joining.size() < 2 ? 1 : join_until};
      for (std::size_t seed = 0; seed < first_look_; ++seed) {
        group.runs.push_back({adviser_.race_trial(before.contenders[i], seed), i});
      }
      joining.push_back(std::move(group));
    }
    make("race, the first seeds", std::move(joining));
    bool made = true;
    while (made) {
      const Advice now = adviser_.advice();
      RunGroup next{{}, until};
      for (const BudgetedRun& run : now.open_race) {
        if (now.race.looked_after > 0 && !now.race.entrants[run.scheme].waits) next.runs.push_back(run);
      }
      made = !next.runs.empty() && make("race, more seeds", {next});
    }
  }

  // Bandwidths first, for which what is found may ask for one further away.
  void run_conditions(double until) {
    for (const bool all : {false, true}) {
      while (run_conditions(until, [&](const OtherCondition& one) { return all || one.bandwidth != 1; })) {
      }
    }
  }

  bool run_conditions(double until, const auto& chosen) {
    const Advice now = adviser_.advice();
    std::vector<RunGroup> groups;
    for (const Condition& condition : now.conditions) {
      RunGroup group{condition.open, until};
      for (BudgetedRun& run : group.runs) {
        if (condition.what->costs_more) run.length = cost_of(now.contenders[run.scheme], run.trial);
      }
      if (!group.runs.empty() && chosen(*condition.what)) groups.push_back(std::move(group));
    }
    return make("other conditions", std::move(groups));
  }

  // As a multiple of a run of the race.
  double cost_of(const Contender& contender, const Trial& trial) {
    const auto [known, fresh] = costs_.try_emplace(trial.point);
    if (fresh) {
      const std::size_t as_given = adviser_.race_trial(contender, 0).point;
      known->second = cost_ratio(adviser_.trials_.scenario(trial.point), adviser_.trials_.scenario(as_given));
    }
    return known->second;
  }

  Adviser& adviser_;
  Budget budget_;
  const AdviseOptions& options_;
  const double begin_;
  const std::size_t first_look_;
  std::map<std::size_t, double> costs_;  // by point
};

void Adviser::run(const AdviseOptions& options) {
  const jobs::JobsFolder tuning(folder() / "tuning", jobs::JobsFolder::Use::alone, {});
  const jobs::JobsFolder runs(folder() / "runs", jobs::JobsFolder::Use::alone, {});
  const jobs::JobsFolder conditions(folder() / "conditions", jobs::JobsFolder::Use::alone, {});
  Stages(*this, options).run();
}

}  // namespace ddl::advise

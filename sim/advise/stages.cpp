// The runs of an advice, stage by stage: tuning, the race, other conditions. Each has a share of the budget and goes
// from the best contender so far to the worst.
#include <fmt/format.h>

#include <algorithm>

#include "sim/advise/advise.hpp"
#include "sim/jobs/jobs_folder.hpp"

namespace ddl::advise {
namespace {

// Shares of the budget: tuning; contenders that join the race, and all of it.
constexpr double tuning_share = 0.5, join_share = 0.7, race_share = 0.8;
constexpr double room_for_race = 1.2;  // of what the least race is expected to cost

}  // namespace

class Stages {
 public:
  Stages(Adviser& adviser, const AdviseOptions& options)
      : adviser_(adviser),
        budget_(options.used, options.at_once),
        options_(options),
        begin_(budget_.used()),
        first_look_(std::min(race_looks[0], adviser.request_.seeds.size())) {}

  void run() {
    run_tuning();
    run_race();
    run_conditions();
  }

 private:
  // A share of what was left of the budget at the first run, as a share of the whole: candidates were found before.
  double at(double share) const { return begin_ + share * (1 - begin_); }
  bool make(const std::string& stage, std::vector<RunGroup> groups) {
    if (options_.stage) options_.stage(stage);
    return budget_.run(adviser_.trials_, std::move(groups), {options_.at_once, options_.progress}) > 0;
  }

  // What the least race is expected to cost: of one worker alone and the best of the others.
  double least_race(const Advice& now) const {
    std::vector<BudgetedRun> runs;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, now.turns.size()); ++i) {
      runs.insert(runs.end(), first_look_, {{}, now.turns[i], 1});
    }
    return budget_.cost(runs);
  }

  void run_tuning() {
    bool keeps_room = false;  // for the least race
    for (Advice now = adviser_.advice(); !now.open_tuning.empty(); now = adviser_.advice()) {
      const double length = now.open_tuning.front().length, least = least_race(now);
      // Room that was kept is not given up because some of what is to spare has been used; but the shortest runs tell
      // little of what whole ones cost. Where not even the race fits, tuning is all that there is.
      keeps_room = budget_.used() + (keeps_room && length == 1 ? 1 : room_for_race) * least <= 1;
      const double begin_before = keeps_room ? at(tuning_share) : 1, leave = keeps_room ? room_for_race * least : 0;
      std::vector<RunGroup> groups;
      for (const BudgetedRun& run : now.open_tuning) groups.push_back({{run}, begin_before, leave});
      const std::string runs = length < 1 ? fmt::format("runs of 1/{:.0f} of the time", 1 / length) : "whole runs";
      if (!make("tuning, " + runs, std::move(groups))) return;
    }
  }

  void run_race() {
    const Advice before = adviser_.advice();
    std::vector<RunGroup> joining;
    for (const std::size_t i : before.turns) {
      RunGroup group{{}, joining.size() < 2 ? 1 : at(join_share)};
      if (before.race.entrants[i].dropped_after) continue;
      for (std::size_t seed = 0; seed < first_look_; ++seed) {
        group.runs.push_back({adviser_.race_trial(before.contenders[i], seed), i});
      }
      joining.push_back(std::move(group));
    }
    make("race, the first seeds", std::move(joining));
    bool made = true;
    while (made) {
      const Advice now = adviser_.advice();
      RunGroup next{{}, at(race_share)};
      for (const BudgetedRun& run : now.open_race) {
        if (now.race.looked_after > 0 && !now.race.entrants[run.scheme].waits) next.runs.push_back(run);
      }
      made = !next.runs.empty() && make("race, more seeds", {next});
    }
  }

  void run_conditions() {
    const Advice now = adviser_.advice();
    std::vector<RunGroup> groups;
    for (std::size_t number = 0; number < now.conditions.size(); ++number) {
      RunGroup group{now.conditions[number].open};
      std::map<std::size_t, double> lengths;  // by contender
      for (BudgetedRun& run : group.runs) {
        if (!adviser_.conditions_[number].costs_more) continue;
        const auto [length, fresh] = lengths.try_emplace(run.scheme);
        const Trial as_given = adviser_.race_trial(now.contenders[run.scheme], 0);
        const auto scenario = [&](const Trial& trial) { return adviser_.trials_.scenario(trial.point); };
        if (fresh) length->second = cost_ratio(scenario(run.trial), scenario(as_given));
        run.length = length->second;
      }
      groups.push_back(std::move(group));
    }
    make("other conditions", std::move(groups));
  }

  Adviser& adviser_;
  Budget budget_;
  const AdviseOptions& options_;
  const double begin_;
  const std::size_t first_look_;
};

void Adviser::run(const AdviseOptions& options) {
  const jobs::JobsFolder tuning(folder() / "tuning", jobs::JobsFolder::Use::alone, {});
  const jobs::JobsFolder runs(folder() / "runs", jobs::JobsFolder::Use::alone, {});
  const jobs::JobsFolder conditions(folder() / "conditions", jobs::JobsFolder::Use::alone, {});
  Stages(*this, options).run();
}

}  // namespace ddl::advise

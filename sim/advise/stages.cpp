#include "sim/advise/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/advise/advise.hpp"

namespace ddl::advise {
namespace {

// Shares of the budget: probes, the scenario's own rate, the rates beside it, all of tuning; candidates that join the
// race, and all of it.
constexpr double probes_share = 0.3, own_rate_share = 0.3, rates_share = 0.45, tuning_share = 0.5;
constexpr double join_share = 0.7, race_share = 0.8;
constexpr double room_for_race = 1.2;  // of what the least race is expected to cost

}  // namespace

Stages::Stages(Adviser& adviser, const AdviseOptions& options)
    : adviser_(adviser),
      budget_(options.used, options.at_once),
      options_{options.at_once, options.progress},
      on_stage_(options.stage),
      begin_(budget_.used()) {}

void Stages::run() {
  run_tuning();
  run_race();
  run_conditions();
}

void Stages::begin(const std::string& stage) const {
  if (on_stage_) on_stage_(stage);
}

// One worker alone, which is what the others are measured by, then the best of the others.
std::vector<std::size_t> Stages::turns() const {
  const Advice now = adviser_.advice();
  std::vector<std::size_t> order = {0};
  std::ranges::copy_if(now.standing, std::back_inserter(order), [](std::size_t i) { return i != 0; });
  return order;
}

double Stages::least_race() const {
  const std::vector<std::size_t> order = turns();
  std::vector<BudgetedRun> runs;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, order.size()); ++i) {
    runs.insert(runs.end(), std::min(race_looks[0], adviser_.request_.seeds.size()), {{}, order[i], 1});
  }
  return budget_.cost(runs);
}

bool Stages::run_tuning_stage(double share, const std::function<std::vector<BudgetedRun>(std::size_t)>& trials_of) {
  const double least = least_race();
  // Room that was kept is not given up because some of what is to spare has been used. Where not even the race fits,
  // tuning is all that there is.
  keeps_room_ = budget_.used() + (keeps_room_ ? 1 : room_for_race) * least <= 1;
  const double begin_before = keeps_room_ ? at(share) : 1, leave = keeps_room_ ? room_for_race * least : 0;
  std::vector<RunGroup> groups;
  for (const std::size_t i : turns()) {
    for (const BudgetedRun& run : trials_of(i)) groups.push_back({{run}, begin_before, leave});
  }
  return budget_.run(adviser_.lab_, groups, options_) > 0;
}

void Stages::run_tuning() {
  using Runs = std::vector<BudgetedRun>;
  for (const double length : probe_lengths) {
    begin(fmt::format("probes of 1/{:.0f} of the time", 1 / length));
    keeps_room_ = false;  // the shortest runs tell little of what whole ones cost
    run_tuning_stage(probes_share, [&](std::size_t i) { return Runs{{adviser_.probe_trial(i, length), i, length}}; });
  }
  // Of the first so many settings, with the first seed.
  const Tuning& tuning = *adviser_.tuning_;
  const auto first = [&tuning](std::size_t i, int most) {
    const Halving search = tuning.search_of(i);
    Runs runs;
    for (std::size_t setting = 0; setting < std::min<std::size_t>(most, search.tried.size()); ++setting) {
      runs.push_back({tuning.trial_of(i, search.tried[setting].setting, tuning.seeds().front()), i, 1});
    }
    return runs;
  };
  begin("whole runs at the given rate");
  run_tuning_stage(own_rate_share, [&](std::size_t i) { return first(i, 1); });
  begin("tuning, rates beside the given one");
  run_tuning_stage(rates_share, [&](std::size_t i) { return first(i, tuning.space_of(i).rates); });
  const auto open_runs = [&](std::size_t i) {
    Runs runs;
    for (const Halving::Open& open : tuning.search_of(i).open) {
      runs.push_back({tuning.trial_of(i, open.setting, open.seed), i, 1});
    }
    return runs;
  };
  do {
    begin("tuning, further rates and seeds");
  } while (run_tuning_stage(tuning_share, open_runs));
}

void Stages::run_race() {
  std::vector<RunGroup> joining;
  const Advice before = adviser_.advice();
  for (const std::size_t i : turns()) {
    if (before.race.entrants[i].dropped_after) continue;
    RunGroup group;
    group.begin_before = joining.size() < 2 ? 1 : at(join_share);
    for (std::size_t seed = 0; seed < std::min(race_looks[0], adviser_.request_.seeds.size()); ++seed) {
      group.runs.push_back({adviser_.race_trial(before.advised[i], seed), i, 1});
    }
    joining.push_back(std::move(group));
  }
  begin("race, the first seeds");
  budget_.run(adviser_.lab_, joining, options_);
  while (true) {
    const Advice now = adviser_.advice();
    RunGroup next{{}, at(race_share)};
    for (const Race::Open& open : now.race.open) {
      if (now.race.looked_after == 0 || now.race.entrants[open.entrant].waits) continue;
      const auto seed = std::ranges::find(adviser_.request_.seeds, open.seed) - adviser_.request_.seeds.begin();
      next.runs.push_back(
          {adviser_.race_trial(now.advised[open.entrant], static_cast<std::size_t>(seed)), open.entrant, 1});
    }
    if (next.runs.empty()) return;
    begin("race, more seeds");
    if (budget_.run(adviser_.lab_, {next}, options_) == 0) return;
  }
}

void Stages::run_conditions() {
  const Advice now = adviser_.advice();
  std::vector<RunGroup> groups;
  for (std::size_t number = 0; number < now.conditions.size(); ++number) {
    const auto& scores = now.conditions[number].scores;
    RunGroup group;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (std::ranges::all_of(scores[i], [](const auto& score) { return score.has_value(); })) continue;
      const Advised& advised = now.advised[now.contenders[i]];
      const auto scenario_of = [&](const LabTrial& trial) { return adviser_.lab_.scenario(trial.point); };
      const double length = adviser_.conditions_[number].costs_more
                                ? cost_ratio(scenario_of(adviser_.condition_trial(advised, number, 0)),
                                             scenario_of(adviser_.race_trial(advised, 0)))
                                : 1;
      for (std::size_t seed = 0; seed < scores[i].size(); ++seed) {
        if (scores[i][seed]) continue;
        group.runs.push_back({adviser_.condition_trial(advised, number, seed), now.contenders[i], length});
      }
    }
    groups.push_back(std::move(group));
  }
  begin("other conditions");
  budget_.run(adviser_.lab_, groups, options_);
}

}  // namespace ddl::advise

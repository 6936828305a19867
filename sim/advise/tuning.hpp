// Several schemes, each searching for its own best settings at equal cost, side by side.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/advise/budget.hpp"
#include "sim/advise/halving.hpp"
#include "sim/advise/trials.hpp"

namespace ddl::advise {

// Seeds for tuning alone, far from those of reports: 1000001, 1000002, ...
std::vector<std::uint64_t> tuning_seeds(std::size_t count);
// Throws InputError, which begins with `where`, if one of `seeds` is among the first `count` of these.
void check_not_for_tuning(const std::vector<std::uint64_t>& seeds, std::size_t count, const std::string& where);

struct Scheme {
  Base base;
  std::vector<scenario::Override> changes;  // of the base, before what is searched
  SearchSpace space;
};

Trial trial_of(Trials& trials, const Scheme& scheme, const SearchRun& run);
// As far as it is known.
Halving search_of(Trials& trials, const Scheme& scheme);
// The scheme's changes and what has been found best; the former alone if nothing is known.
std::vector<scenario::Override> best_of(const Scheme& scheme, const Halving& search);

// A run whose score a search knows.
struct MadeRun {
  const Halving::Tried* tried;  // of the search
  double length;
  std::uint64_t seed;
  const TrialResult* result;
};
std::vector<MadeRun> made_runs(Trials& trials, const Scheme& scheme, const Halving& search);
// What the searches of several ask for next, the shorter runs first; of these the first of each scheme, in this order,
// come before the second ones.
std::vector<BudgetedRun> open_runs(Trials& trials, const std::vector<Scheme>& schemes,
                                   const std::vector<std::size_t>& order);
// Searches to the end, or as far as the options let them get.
void tune(Trials& trials, const std::vector<Scheme>& schemes, const TrialOptions& options);

inline constexpr const char* tried_file = "tried.csv";
// What was tried, a row per run: its settings, how it did, and whether they were the best in the end. `values` are
// those of `columns` for each scheme: what tells schemes apart whose rows are in one table.
std::string tried_csv(Trials& trials, const std::vector<Scheme>& schemes, const std::vector<std::string>& columns = {},
                      const std::vector<std::vector<std::string>>& values = {});

// "PATH=VALUE,VALUE,..." as --over has it; of the learning rate the path may stand alone. Brackets, braces and quotes
// keep what is in them together. Throws InputError.
struct OverText {
  std::string path;
  std::vector<std::string> values;  // empty: the rates about the scenario's own
};
OverText over_of(const std::string& text);

// What is searched for a scenario, without `over` its learning rate, with at most so many seeds.
SearchSpace space_of(const scenario::Scenario& scenario, const std::vector<OverText>& over, std::size_t seeds);

// A goal in the metric that runs of a file are judged by; of what cannot be read, by accuracy. Throws InputError if no
// run could reach the target.
Goal goal_of(const Registry& systems, const std::string& file, const std::vector<scenario::Override>& changes,
             std::optional<double> target);

// Throws InputError, which begins with `where`, if the metric is never as good as the target.
void check_target(const Goal& goal, const std::string& where);

// Throws ScenarioErrors unless runs of the scenario can be judged by the goal: they learn, are evaluated, and that by
// its metric.
void check_tunable(const scenario::Scenario& scenario, const Goal& goal);

// A scenario as a file that can be run where it lies: paths start from there. Throws InputError.
void write_scenario(scenario::Scenario scenario, const std::filesystem::path& file);

}  // namespace ddl::advise

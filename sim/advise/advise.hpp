// ddlsim advise: which system suits a network. Candidates that cannot win are left out (candidates.hpp). The settings
// of each of the others are tuned by successive halving (halving.hpp): short runs say whose turn is first and which
// settings are worth a complete one, and complete ones which are best, over seeds that serve for nothing else. Then
// they race (race.hpp), and the best run again under other conditions: other bandwidths and latencies, other guesses of
// what a model costs, and, where the model is TCP and packets are nearer, packet by packet.
//
// Each stage has a share of the budget. A few contenders that did best in short runs, the field, go through all stages
// first, then the others. So little budget is enough for the best few, and with enough of it all are run. The advice is
// a function of the runs that have ended, whichever call made them and however long that took.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/node/registry.hpp"
#include "sim/advise/candidates.hpp"
#include "sim/advise/race.hpp"
#include "sim/advise/setting.hpp"
#include "sim/advise/tuning.hpp"

namespace ddl::advise {

struct AdviseRequest {
  std::string file;  // a scenario's, or a platform's (.xml)
  std::vector<scenario::Override> overrides;
  Goal goal;
  std::vector<std::uint64_t> seeds;  // of the race; empty: 1..12
  Chosen systems;
  std::string out = "results/advise";
};

struct AdviseOptions {
  int at_once = 1;
  std::function<void(const jobs::RunsProgress&)> progress;
  std::function<double()> used;  // share of the budget that is spent; empty: there is none
  // Before what `progress` tells is of another stage, such as "race, the first seeds"; the counts go on from those
  // before.
  std::function<void(const std::string& name)> stage = {};
};

// A candidate that is run, how it is tuned, and what is found of it.
struct Contender {
  Candidate candidate;
  Scheme scheme;
  std::size_t planned_runs = 0;  // of the whole search

  Halving search = {};
  std::string name = {};                         // with the best settings so far: "ako partitions=4"
  std::optional<double> rate = {};               // likewise; none: the scenario's own
  std::string schedule = {};                     // likewise; "": the scenario's own
  std::vector<scenario::Override> changes = {};  // of the scenario, as it races
  std::vector<const TrialResult*> trials = {};   // by seed of the race; null: not known

  bool sends() const { return candidate.sends; }
  // The trials that are known and did not fail.
  std::vector<const TrialResult*> finished() const;
  double mean_at_end() const;  // of these; infinity of none
  // The scores at the settings that were best in runs of this length, by seed; empty: it had none.
  std::vector<double> after(double length) const;
};

// The best again where one thing differs: the links, a guess, or how messages are simulated.
struct Condition {
  const OtherCondition* what = nullptr;
  // By contender, of the first seeds of the race. One that the condition does not touch is not run again.
  std::map<std::size_t, Scores> scores = {};
  std::optional<std::size_t> best = {};  // contender; none: some runs are missing
  // Of no difference between the best here and the best as given, paired by seed and corrected for the number of
  // conditions with a p; none where these are the same.
  std::optional<double> p = {};
  std::vector<BudgetedRun> open = {};
};

// The share of the bandwidths as given at which what sends is as good as what does not, between those that were tried.
struct BreakEven {
  std::size_t sender = 0;       // contender; the other is the baseline
  std::optional<double> share;  // none: on one side of it all along
  double least = 1, most = 1;   // shares that were tried
  bool ahead_at_least = false;  // the sender, at the least of them
};

// By how far the sender is ahead at each share. Between two it changes with the logarithm of the bandwidth. NaN: both
// failed, which tells nothing. None: no lead is known.
std::optional<BreakEven> break_even_of(std::map<double, double> lead);

struct Advice {
  std::vector<Contender> contenders;  // one at least; all numbers below are of this list
  std::vector<std::size_t> turns;     // the baseline, then the others, the best so far first
  Race race;
  std::vector<std::size_t> ranking;  // those that have raced, the best first
  // The race's leader, which is the best estimate. Before the first look a guess: the best of the longest runs that at
  // least two have had.
  std::optional<std::size_t> best;
  double guessed_after = 0;  // the length of these runs; 0: it is no guess
  // What to use if differences are chance: of those that no test tells apart from the best, not even one of the two
  // alone, the one that sends the least. None before there was a test.
  std::optional<std::size_t> safe;
  // The target to which time and bytes are shown: the goal's, or what the baseline has at the end less a point.
  std::optional<double> shown_target;
  std::vector<std::size_t> again;     // the best, the safe choice, the best that sends, the baseline
  std::vector<Condition> conditions;  // these run under; the first is as given
  std::optional<BreakEven> break_even;
  std::vector<BudgetedRun> open_tuning, open_race;  // asked for next and not made

  // Whether the first is what the others are measured by: it sends nothing.
  bool has_baseline() const { return !contenders.front().sends(); }
  std::size_t count_after(double length) const;  // how many have Contender::after
  std::size_t open_conditions() const;           // runs
};

class Adviser {
 public:
  // Reads everything and tries the platform. Throws ScenarioErrors, InputError.
  Adviser(const Registry& systems, AdviseRequest request, int at_once);

  // To the end, or until the budget is spent. Throws as Trials::run.
  void run(const AdviseOptions& options);
  // Its trials live as long as the adviser.
  Advice advice();

  const AdviseRequest& request() const { return request_; }
  const Question& question() const { return question_; }
  const std::vector<std::string>& setting() const { return setting_.lines; }
  const std::vector<Candidate>& left_out() const { return left_out_; }
  std::vector<std::uint64_t> tuning_seeds() const;
  std::filesystem::path folder() const;
  // Of the runs that raced and have ended.
  std::vector<std::string> race_folders();
  // A scenario as it raced, and what the network did in its first seed; none: that has not run.
  scenario::Scenario scenario_of(const Contender& contender);
  std::optional<Usage> usage_of(const Contender& contender);

 private:
  friend class Stages;  // its runs, stage by stage
  Trial race_trial(const Contender& contender, std::size_t seed);
  Trial condition_trial(const Contender& contender, const OtherCondition& condition, std::size_t seed);
  Contender contender(Contender contender);
  void add_tuning(Advice& advice);
  void add_race(Advice& advice);
  void add_conditions(Advice& advice);
  Condition condition_of(const Advice& advice, const OtherCondition& other, const std::vector<std::size_t>& among);
  void add_break_even(Advice& advice);

  AdviseRequest request_;
  Question question_;
  std::vector<Candidate> left_out_;
  Setting setting_;
  Trials trials_;
  std::vector<Contender> contenders_;  // of which nothing is found yet
  Base race_base_;
  std::vector<OtherCondition> conditions_, bandwidths_;
};

// One page: for a terminal, as Markdown, and as JSON.
std::string advice_text(Adviser& adviser, std::size_t width);
std::string advice_markdown(Adviser& adviser);
std::string advice_json(Adviser& adviser);
// advice.md, advice.json, and the scenarios best.json and safe.json, in the folder. Throws InputError.
void write_advice(Adviser& adviser);

}  // namespace ddl::advise

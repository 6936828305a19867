// ddlsim advise: which system suits a network. Candidates that cannot win are left out (candidates.hpp). The learning
// rate of each of the others is tuned by successive halving (halving.hpp), first in short runs, which say whose turn is
// first, then in complete ones, over seeds that serve for nothing else. Then they race (race.hpp), and the best run
// again under other conditions: with other bandwidths and latencies, and, where the model is TCP and packets are
// nearer, packet by packet.
//
// Each stage has a share of the budget and goes from the best contender so far to the worst, so that with little budget
// few are tuned and race, and with enough of it all. The advice is a function of the runs that have ended, whichever
// call made them and however long that took.
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
  std::vector<std::string> systems;  // candidates beside one worker alone; empty: all
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

// A contender's score over its runs of one length, at the rate that was best in these.
struct Standing {
  double length = 0;  // of a whole run
  std::size_t runs = 0;
  double score = 0, at_end = 0;  // as of a TrialResult
};

// A candidate that is run, and what is found of it.
struct Contender {
  std::string name;
  bool sends = true;  // whether anything travels
  Halving search;
  std::size_t planned_runs = 0;                 // of the whole search
  std::optional<double> rate;                   // the best so far; none: the scenario's own
  std::vector<scenario::Override> changes;      // of the scenario, as it races
  std::map<double, Standing> standings;         // by length
  std::vector<const TrialResult*> trials = {};  // by seed of the race; null: not known

  // Null: it has had no run of this length, or such runs failed.
  const Standing* after(double length) const;
  Standing last() const { return standings.empty() ? Standing{} : standings.rbegin()->second; }
};

// The best again where one thing differs: the links, or how messages are simulated.
struct Condition {
  std::string name;  // "bandwidth halved"
  // By contender, of the first seeds of the race. One that sends nothing is not run again.
  std::map<std::size_t, Scores> scores;
  std::optional<std::size_t> best;  // contender; none: some runs are missing
  // Of no difference between the best and the recommended one, paired by seed; none where these are the same.
  std::optional<double> p;
  std::vector<BudgetedRun> open;
};

struct Advice {
  std::vector<Contender> contenders;  // the first is one worker alone; all numbers below are of this list
  std::vector<std::size_t> turns;     // one worker alone, then the others, the best so far first
  Race race;
  std::vector<std::size_t> ranking;  // those that have raced, the best first
  // The race's leader, which is the best estimate; or the safe choice, one worker alone, where a test does not tell it
  // apart from that. Before the first look a guess: the best of the longest runs that at least two have had.
  std::optional<std::size_t> recommended;
  double guessed_after = 0;  // the length of these runs; 0: it is no guess
  // The target to which time and bytes are shown: the goal's, or what one worker alone has at the end less a point.
  std::optional<double> shown_target;
  std::vector<std::size_t> again;                   // the two best that send something, and the best that does not
  std::vector<Condition> conditions;                // these run under; the first is as given
  std::vector<BudgetedRun> open_tuning, open_race;  // asked for next and not made

  std::size_t count_after(double length) const;  // how many have Contender::after
  std::size_t open_conditions() const;           // runs
};

class Adviser {
 public:
  // Reads everything and tries the platform. Throws ScenarioErrors, InputError.
  Adviser(const Registry& systems, AdviseRequest request, int at_once);

  // To the end, or until the budget is spent: half of it for tuning, less where the race needs more, a third for the
  // race, the rest for other conditions. Throws as Trials::run.
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
  // A scenario as it raced.
  scenario::Scenario scenario_of(const Contender& contender);

 private:
  friend class Stages;  // its runs, stage by stage
  Trial race_trial(const Contender& contender, std::size_t seed);
  Trial condition_trial(const Contender& contender, std::size_t condition, std::size_t seed);
  Contender contender(std::size_t number);
  void add_tuning(Advice& advice);
  void add_race(Advice& advice);
  void add_conditions(Advice& advice);

  AdviseRequest request_;
  Question question_;
  std::vector<Candidate> candidates_, left_out_;
  Setting setting_;
  Trials trials_;
  std::vector<Scheme> schemes_;  // by contender
  Base race_base_, condition_base_;
  std::vector<OtherCondition> conditions_;
};

// What to use and how sure that is, in a few sentences.
std::string advice_answer(Adviser& adviser);
// One page: for a terminal, as Markdown, and as JSON.
std::string advice_text(Adviser& adviser, std::size_t width);
std::string advice_markdown(Adviser& adviser);
std::string advice_json(Adviser& adviser);
// advice.md, advice.json and recommended.json, the recommended scenario, in the folder. Throws InputError.
void write_advice(Adviser& adviser);

}  // namespace ddl::advise

// ddlsim advise: which system suits a network. Candidates that cannot win are left out (candidates.hpp), the others run
// for a small part of the time (probes), which says whose turn is first; the learning rate of each is tuned quickly,
// over seeds that serve for nothing else, then they race (race.hpp), and the best are run again under other conditions:
// with other bandwidths and latencies, and, where the model is TCP and packets are nearer, packet by packet.
//
// Each stage has a share of the budget and goes from the best candidate so far to the worst, so that with little budget
// few are tuned and race, and with enough of it all. The advice is a function of the runs that have ended, whichever
// call made them and however long that took.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
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

// Of a whole run: first each candidate has the shortest, then each the next.
inline constexpr double probe_lengths[] = {1.0 / 16, 1.0 / 4};

struct AdviseOptions {
  int at_once = 1;
  std::function<void(const jobs::RunsProgress&)> progress;
  std::function<double()> used;  // share of the budget that is spent; empty: there is none
  // Before what `progress` tells is of another stage, such as "probes"; the counts go on from those before.
  std::function<void(const std::string& name)> stage = {};
};

// A candidate's score over its runs of one length.
struct Standing {
  double length = 0;             // of a whole run; 0: nothing is known
  std::size_t runs = 0;          // of its best rate
  double score = 0, at_end = 0;  // as of a TrialResult
};

// What is found of a candidate that was run.
struct Advised {
  std::size_t candidate;
  Halving tuning;
  std::size_t tuning_runs = 0;                     // of the whole search
  std::optional<double> rate;                      // the best so far; none: the scenario's own
  Standing standing;                               // by its longest runs
  std::vector<Standing> by_length;                 // of all lengths that it has had, the shortest first
  std::vector<scenario::Override> changes;         // of the scenario, as it races
  std::vector<std::optional<TrialResult>> trials;  // by seed of the race
  std::vector<std::optional<Reached>> reached;     // Advice::shown_target, by seed

  // Null: it has had no run of this length, or such runs failed.
  const Standing* standing_after(double length) const;
};

// The best again where one thing differs: the links, or how messages are simulated.
struct Condition {
  std::string name;  // "bandwidth halved"
  // By contender, then seed: the first of those of the race. A candidate that sends nothing is not run again.
  std::vector<std::vector<std::optional<double>>> scores;
  std::optional<std::size_t> best;  // contender; none: some runs are missing
  // Of no difference between the best and the recommended one, paired by seed; none where these are the same.
  std::optional<double> p;
};

struct Advice {
  std::vector<Candidate> candidates;
  std::vector<Advised> advised;       // those that are run; the first is one worker alone
  Race race;                          // by advised
  std::vector<std::size_t> ranking;   // advised; the best first
  std::vector<std::size_t> standing;  // advised; by their standing, the best first
  // The leader, or one worker alone where it is not told apart from that. Where there are fewer seeds than a look needs
  // and two have had all of them, the leader. Otherwise the best of the longest runs that at least two have had.
  std::optional<std::size_t> recommended;
  double compared_length = 0;  // of the runs that decided it, where that was not the race
  // The target to which time and bytes are shown: the goal's, or what one worker alone has at the end less a point.
  std::optional<double> shown_target;
  std::vector<std::size_t> contenders;  // advised: the two best that send something, and the best that does not
  std::vector<Condition> conditions;
  std::size_t open_probes = 0, open_tuning = 0, open_race = 0, open_conditions = 0;  // runs asked for next and not made

  std::size_t with_length(double length) const;  // how many have Advised::standing_after
};

class Adviser {
 public:
  // Reads everything and tries the platform. Throws ScenarioErrors, InputError.
  Adviser(const Registry& systems, AdviseRequest request, int at_once);
  ~Adviser();

  // To the end, or until the budget is spent: half of it for tuning, less where the race needs more, a third for the
  // race, the rest for other conditions. Throws as Lab::run.
  void run(const AdviseOptions& options);
  Advice advice();

  const AdviseRequest& request() const { return request_; }
  const Question& question() const { return question_; }
  const std::vector<std::string>& setting() const { return setting_.lines; }
  const std::vector<std::uint64_t>& tuning_seeds() const { return tuning_->seeds(); }
  std::filesystem::path folder() const;
  // Of the runs that raced and have ended.
  std::vector<std::string> race_folders();
  // A scenario as it raced.
  scenario::Scenario scenario_of(const Advised& advised);

 private:
  friend class Stages;
  struct Open {
    std::vector<LabTrial> race, conditions;
  };
  LabTrial probe_trial(std::size_t advised, double length);
  LabTrial race_trial(const Advised& advised, std::size_t seed);
  LabTrial condition_trial(const Advised& advised, std::size_t condition, std::size_t seed);
  void add_standing(Advice& advice);
  void add_race(Advice& advice, Open& open);
  void add_conditions(Advice& advice, Open& open);
  Advice follow(Open& open);

  AdviseRequest request_;
  Question question_;
  std::vector<Candidate> candidates_;
  std::vector<std::size_t> run_;  // candidates, by advised
  Setting setting_;
  Lab lab_;
  std::size_t probe_base_ = 0, race_base_ = 0, condition_base_ = 0;
  std::vector<OtherCondition> conditions_;
  std::unique_ptr<Tuning> tuning_;
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

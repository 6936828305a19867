// A budget of wall time. What is not sure to be of use before it is spent is not begun: runs come in groups that are of
// use together, and what a run costs is known from earlier ones: each costs the same start (reading data, say), and the
// rest in proportion to its length and as its scheme does.
//
// The clock decides which runs are made, and nothing else.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "sim/advise/trials.hpp"

namespace ddl::advise {

struct BudgetedRun {
  Trial trial;
  std::size_t scheme = 0;  // whose runs cost alike
  double length = 1;       // of what it does behind its start, as a multiple of a whole run's
};

struct RunGroup {
  std::vector<BudgetedRun> runs;
  double begin_before = 1;  // share of the budget: then it is too late for the first of its runs
  double leave = 0;         // what must be left of the budget when it ends, for what comes later
};

class Budget {
 public:
  // `used`: which share of it is spent; empty: there is no end to it.
  Budget(std::function<double()> used, int at_once)
      : used_(std::move(used)), cores_(static_cast<std::size_t>(at_once)) {}

  double used() const { return used_ ? used_() : 0; }
  // Of a run of this scheme, as a share of the budget, from its longest ones so far; 0: it had none in this call.
  double cost(std::size_t scheme, double length = 1) const;
  // From the start of the first to the end of the last of several, each of which starts, in this order, as soon as a
  // core is free.
  double cost(const std::vector<BudgetedRun>& runs) const { return end_of(runs, std::vector<double>(cores_)); }

  // Makes the runs that are not known, in this order. A group is begun if that is not too late and it is expected to
  // end, behind what is at work, while the budget has left what the group must leave; its other runs then follow in
  // any case. At the end of the budget runs at work are ended. Returns how many were made.
  std::size_t run(Trials& trials, std::vector<RunGroup> groups, const TrialOptions& options);

 private:
  struct AtWork {
    BudgetedRun run;
    double since;
  };
  bool may_begin(const RunGroup& group, const std::map<Trial, AtWork>& at_work) const;
  // A run that reached the goal may have ended early.
  void note_end(const AtWork& ended, double share_done);
  // The least that the schemes say that have runs of lengths far apart; 0: there is none.
  double start() const;
  // When the last of these ends; `free`: when each core is.
  double end_of(const std::vector<BudgetedRun>& runs, std::vector<double> free) const;

  std::function<double()> used_;
  std::size_t cores_;
  std::map<std::size_t, std::map<double, double>> costs_;  // by scheme and length: most of what one run took
};

}  // namespace ddl::advise

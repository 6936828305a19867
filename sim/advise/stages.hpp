// The runs of an advice, stage by stage: probes, tuning, the race, other conditions. Each has a share of the budget and
// goes from the best candidate so far to the worst.
#pragma once

#include <functional>
#include <vector>

#include "sim/advise/budget.hpp"

namespace ddl::advise {

class Adviser;
struct AdviseOptions;

class Stages {
 public:
  Stages(Adviser& adviser, const AdviseOptions& options);

  // All of them, as far as the budget lasts. Throws as Lab::run.
  void run();

 private:
  std::vector<std::size_t> turns() const;
  // A share of what was left of the budget at the first run, as a share of the whole: candidates were found before.
  double at(double share) const { return begin_ + share * (1 - begin_); }
  // What the least race is expected to cost: of one worker alone and the best of the others.
  double least_race() const;
  void begin(const std::string& stage) const;
  // Of single runs, best candidate first. False: none was made.
  bool run_tuning_stage(double share, const std::function<std::vector<BudgetedRun>(std::size_t)>& trials_of);
  void run_tuning();
  void run_race();
  void run_conditions();

  Adviser& adviser_;
  Budget budget_;
  const LabOptions options_;
  const std::function<void(const std::string&)> on_stage_;
  const double begin_;
  bool keeps_room_ = false;  // tuning leaves room for the least race
};

}  // namespace ddl::advise

// What studies have in common: how figures are read off a run, and statistics for claims.
#pragma once

#include <string>
#include <vector>

#include "lab/studies/study.hpp"
#include "sim/run/rows/rows.hpp"

namespace ddl::studies {

// A number of summary.json, such as "bytes_sent".
Reading measured(const std::string& key);
// In per cent of the test set, mean over workers, at the end of the run; or the mean of so many last evaluations, as
// far as there are some after the start.
Reading final_accuracy_percent(std::size_t evaluations = 1);
// Of the first evaluation whose mean over workers reaches `accuracy`, which evaluate.target_accuracy must list.
Reading seconds_to(double accuracy);
// Steps of all workers together by then.
Reading steps_to(double accuracy);
// Mean absolute change from one evaluation to the next, less the part that is progress: what a curve goes down and up.
// Of each worker's own curve, then the mean of these: the mean curve would hide what single replicas do.
Reading fluctuation_percent();

// Of the requests that `host` answered, in per cent, those that it answered rightly.
Reading answers_percent(const std::string& host);

// The mean over workers of each worker's mean time of a step that it finished.
Reading seconds_per_cycle();

// What a part of a run's steps, of all workers, does not exceed, s.
Reading seconds_of_step(double percent);
// Percentage of a run's steps that took `from` seconds or more, and less than `to`.
Reading percent_of_steps(double from, double to);
// Mean over the minibatches of all workers in the last twentieth of the `steps` of each before `part` of them, times
// `factor`.
Reading of_minibatches(std::optional<double> run::IterationRow::*value, double part, int steps, double factor = 1);
// By how much the mean accuracy of the last three evaluations is above that after three twentieths of the steps.
Reading points_learnt_late();

// Spearman's rank correlation of published and simulated over the values of `table` that have both, but for those whose
// rows begin with the label `without`; ties share ranks.
double rank_correlation(const Outcome& outcome, const std::string& table, const std::string& without = "");

// Pairs of figures whose rows differ in the last label alone, and whose published ranges do not overlap; and those of
// them which the simulation has the other way round, or equal. What has no figure counts as reversed.
struct Pairs {
  int all = 0, reversed = 0;
};
Pairs pairs_of(const Outcome& outcome, const std::vector<Outcome::Value>& figures);

// A study's figures in its order, as published.
std::vector<Outcome::Value> places_of(const Study& study);

}  // namespace ddl::studies

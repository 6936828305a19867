// What studies have in common: how figures are read off a run, statistics for claims, and a network.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "lab/studies/study.hpp"

namespace ddl::studies {

// A number of summary.json, such as "bytes_sent", times `factor`.
Reading measured(const std::string& key, double factor = 1);
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

// Spearman's rank correlation of published and simulated over the values of `table` that have both, but for those whose
// rows begin with the label `without`; ties share ranks.
double rank_correlation(const Outcome& outcome, const std::string& table, const std::string& without = "");

// "7 of 9".
std::string out_of(int count, int all);

// VGG (Simonyan and Zisserman, ICLR 2015) for small images, as the "model" of a scenario: so many 3x3 convolutions in
// each of its five stages, and one dense layer.
nlohmann::ordered_json vgg_network(const std::array<int, 5>& convolutions);
// One that learns in minutes: one convolution in each of four stages of 16, 32, 64 and 128 filters; 102,570 parameters
// without batch normalisation, 102,810 with it.
nlohmann::ordered_json small_vgg_network(bool batch_norm);

}  // namespace ddl::studies

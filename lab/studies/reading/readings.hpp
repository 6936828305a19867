// How figures are read: off a run, by the names that a study's folder calls them; and off a whole outcome.
#pragma once

#include <string>
#include <vector>

#include "lab/studies/reading/strict_json.hpp"
#include "lab/studies/study.hpp"

namespace ddl::studies {

// Of a figure such as {"at": "accuracy | VGG | 1x", "read": "final_accuracy", "evaluations": 3}: its reading, by the
// name under "read" and the settings of that. README.md says what there is.
Reading reading_of(const JsonAt& figure);

// Likewise of what is counted of a network instead of read off a run, "count": "weights", "non_zeros" or
// "operations": in a network of ten classes, whose input has that shape.
double count_of(const JsonAt& figure, const std::string& network, const std::vector<JsonAt>& input);

// Spearman's rank correlation of published and simulated over the values of `table` that were published, but for those
// whose rows begin with the label `without`; ties share ranks. Not a number if one of them was not simulated.
double rank_correlation(const Outcome& outcome, const std::string& table, const std::string& without = "");

// Pairs of figures whose rows differ in the last label alone, and whose published ranges do not overlap; and those of
// them which the simulation has the other way round, or equal. What has no figure counts as reversed.
struct Pairs {
  int all = 0, reversed = 0;
};
Pairs pairs_of(const Outcome& outcome, const std::vector<Outcome::Value>& figures);

}  // namespace ddl::studies

// How figures are read off a run, by the names that the folder of a study calls them.
#pragma once

#include "lab/studies/reading/strict_json.hpp"
#include "lab/studies/study.hpp"

namespace ddl::studies {

// Of a figure such as {"at": "accuracy | VGG | 1x", "read": "final_accuracy", "evaluations": 3}: its reading, by the
// name under "read" and the settings of that.
Reading reading_of(const JsonAt& figure);

// Likewise of what is counted of a network instead of read off a run, "count": "weights", "non_zeros" or
// "operations": in a network of ten classes, whose input has that shape.
double count_of(const JsonAt& figure, const std::string& network, const std::vector<JsonAt>& input);

}  // namespace ddl::studies

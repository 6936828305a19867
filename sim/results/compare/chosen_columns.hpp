// Which columns a comparison has, and what its rows are called, as its reader asks for them.
#pragma once

#include <string>
#include <vector>

#include "sim/results/compare/comparison.hpp"

namespace ddl::results {

// What every comparison has: time and bytes to each target of any run, final accuracy, time of a step, ...
std::vector<ComparedMeasure> usual_measures(const GroupedRuns& grouped);

// Sets the comparison's measures and columns: the usual ones, or those of these names. Throws InputError.
void choose_columns(Comparison& comparison, const std::vector<std::string>& names);

// Calls rows by the value of `key`: a setting's path, or a text of a result. If it is varied, it changes places with
// the scheme, and rows that differ in nothing else are compared; otherwise rows that would have one name have the
// scheme in it, too. Throws InputError.
void choose_label(Comparison& comparison, const std::string& key);

// Throws InputError if no row is called so.
void rename_row(Comparison& comparison, const std::string& from, const std::string& to);

}  // namespace ddl::results

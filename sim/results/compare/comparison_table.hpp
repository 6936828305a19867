// A comparison's tables, for whatever form they are to have.
#pragma once

#include "sim/results/compare/comparison.hpp"
#include "sim/results/text/table.hpp"

namespace ddl::results {

enum class Readers { people, programs };

// A row per group: its name, what is varied, how many runs it has, and the comparison's columns. People are not told
// that each group has one run. `targets_named`: titles of speed-ups name their target, for they may not be read beside
// the time to it.
Table comparison_table(const Comparison& comparison, Readers readers, bool targets_named);

// "quantity  measured  simulated  error", of a measured group.
Table fidelity_table(const Fidelity& fidelity);
std::string fidelity_title(const Comparison& comparison, const Fidelity& fidelity);

}  // namespace ddl::results

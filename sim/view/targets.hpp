// Which accuracy a picture counts to.
#pragma once

#include <optional>
#include <vector>

#include "sim/results/reading/groups.hpp"

namespace ddl::view {

// Of the targets of the runs' metric, those that all runs have, the best first.
std::vector<double> shared_targets(const results::GroupedRuns& runs);

// The largest that some group reaches with all its runs in each condition (RunGroup::varied), so that it tells systems
// apart; where none is, chosen_target's.
double telling_target(const results::GroupedRuns& runs);

// `asked`, which must be a target of all runs; otherwise the largest that the most groups reach with all their runs.
// Throws InputError.
double chosen_target(const results::GroupedRuns& runs, std::optional<double> asked);

}  // namespace ddl::view

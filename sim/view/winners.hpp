// Which system is best under which conditions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/results/reading/baseline.hpp"
#include "sim/results/reading/groups.hpp"

namespace ddl::view {

struct Winner {
  std::size_t scheme = 0;  // index into WinnerMap::schemes
  double mean = 0;         // of the measure, over its seeds
  // Whether it differs significantly from the best other system (difference_p, corrected for all others by Holm's
  // rule). None if this cannot be tested: no other system has a value, or one of the two has fewer than three seeds.
  std::optional<bool> clear;
  // Over one worker alone, in the time to the target of the map; none without such a run, or if it is the winner.
  std::optional<results::AgainstOne> against_one;
};

struct WinnerMap {
  std::string measure;                                    // key of a measure (finished_run.hpp)
  std::string x, y;                                       // the two settings that vary
  std::vector<std::string> columns;                       // values of x, ascending
  std::vector<std::string> rows;                          // values of y, ascending
  std::vector<std::string> schemes;                       // in order of their first run
  std::vector<std::vector<std::optional<Winner>>> cells;  // by row, then column; none where no system has a value
};

// `what`: "accuracy" or "loss" at the end, "time" or "bytes" to a target. Without `target`, it is the largest that some
// system reaches everywhere, or else the largest. Without `what`, the time to such a target if there are targets,
// otherwise the accuracy. A system wins only if it reaches the target with all seeds, and by bytes only if it sends
// any. Throws InputError unless exactly two settings beside the system vary.
WinnerMap winners_of(const results::GroupedRuns& runs, const std::string& what, std::optional<double> target);

}  // namespace ddl::view

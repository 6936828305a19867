// One worker without a network ("single"): what a distributed scheme is there to beat.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sim/results/reading/groups.hpp"

namespace ddl::results {

// Whether the group is of runs of "single".
bool is_one_worker(const RunGroup& group);

// Per group, the group of "single" that differs from it in nothing but the scheme, and so ran on the same platform.
// None if there is no such, and for runs of "single" themselves.
std::vector<std::optional<std::size_t>> baselines_of(const GroupedRuns& runs);

// A group beside one worker, in the time to a target.
struct AgainstOne {
  // Mean time of one worker over that of the group; none unless all runs of both get there.
  std::optional<double> speed_up;
  bool beats = false;  // it is sooner there, or the only one of the two to get there
};

// None where not all runs of either get there.
std::optional<AgainstOne> against_one(const RunGroup& group, const RunGroup& one, double target);

}  // namespace ddl::results

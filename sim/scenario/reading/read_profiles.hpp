// Profiles' points: read from their files, and whether they are in order.
#pragma once

#include "sim/scenario/reading/findings.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::scenario {

// Puts the points of profiles that name a file in its place, so that the scenario holds all that its results depend on.
// A file is CSV with the header "time_s,bandwidth_bps" (bits), "time_s,latency_s" or "time_s,speed_flops".
void read_profile_files(Scenario& scenario, Findings& findings);

// After that.
void check_profiles(const Scenario& scenario, Findings& findings);

}  // namespace ddl::scenario

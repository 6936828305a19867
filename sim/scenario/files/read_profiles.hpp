// Profiles' points: read from their files, and whether they are in order.
#pragma once

#include "sim/scenario/reading/findings.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::scenario {

// Replaces files named by profiles by the points in them, so that the scenario contains all that its results depend on.
// A file is CSV with the header "time_s,bandwidth_bps" (bits), "time_s,latency_s" or "time_s,speed_flops".
void read_profile_files(Scenario& scenario, Findings& findings);

// Whether the points are in order; to be called after read_profile_files.
void check_profiles(const Scenario& scenario, Findings& findings);

}  // namespace ddl::scenario

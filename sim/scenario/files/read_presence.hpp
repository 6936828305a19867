// Traces of when hosts are there: read from their files, and whether they are in order.
#pragma once

#include "sim/scenario/reading/findings.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::scenario {

// Replaces files that faults name by what is in them, so that the scenario contains all that its results depend on. A
// file is CSV with the header "client,start_s,end_s".
void read_presence_files(Scenario& scenario, Findings& findings);

// Checks the trace itself; to be called after read_presence_files.
void check_presence(const HostAvailability& fault, const Place& place);

}  // namespace ddl::scenario

// Graphs of one's own in CSV files.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/scenario/reading/findings.hpp"

namespace ddl::scenario {

// Puts the edges in the place of the files that algorithm.topology names, so that a result has them. `file` is the
// scenario's, from whose folder paths start.
void read_edge_files(nlohmann::ordered_json& scenario, const std::string& file, Findings& findings);

}  // namespace ddl::scenario

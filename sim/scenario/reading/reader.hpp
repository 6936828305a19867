// The strict reader: a JSON value into a Scenario.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/scenario/reading/findings.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::scenario {

// Fills in what the object `json` says and leaves the rest at its defaults. Whatever is unknown, missing or does not
// fit its field is a finding.
void read_json(const nlohmann::json& json, Scenario& scenario, Findings& findings);

}  // namespace ddl::scenario

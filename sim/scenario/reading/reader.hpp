// The strict reader: a JSON value into a Scenario.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/scenario/reading/findings.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::scenario {

// Sets the fields that the object `json` has and leaves the others at their defaults. Unknown or missing keys and
// values that do not fit are findings.
void read_json(const nlohmann::json& json, Scenario& scenario, Findings& findings);

}  // namespace ddl::scenario

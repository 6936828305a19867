// Overrides of single keys, as --set gives them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/scenario/reading/findings.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::scenario {

// Sets the value at the override's path (`a.b[0].c`), creating missing objects on the way. A value that is valid JSON
// is used as such, any other as a string; null removes the key. A bare name that stands for an object (`"algorithm":
// "ako"`) is first replaced by the object. An impossible path is a finding.
void apply_override(const Override& change, nlohmann::json& root, Findings& findings);

}  // namespace ddl::scenario

// Overrides of single keys, as --set gives them.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/scenario/reading/findings.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::scenario {

// Puts the override's value at its path (`a.b[0].c`), making objects on the way where there is nothing yet. A value
// that is JSON counts as such, any other as a string; null takes the key away. Where a bare name stands for an object
// (`"algorithm": "ako"`), the object takes its place. A path that leads nowhere is a finding.
void apply_override(const Override& change, nlohmann::json& root, Findings& findings);

}  // namespace ddl::scenario

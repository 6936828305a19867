// Overrides of single keys, as --set gives them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "sim/scenario/reading/findings.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::scenario {

// The text as JSON, or as a string where it is none; nothing where it is not UTF-8.
std::optional<nlohmann::ordered_json> value_of(const Override& change);

// Sets the value at the override's path (`a.b[0].c`), creating missing objects on the way; null removes the key. A bare
// name that stands for an object (`"algorithm": "ako"`) is first replaced by the object. An impossible path is a
// finding.
void apply_override(const Override& change, nlohmann::ordered_json& root, Findings& findings);

}  // namespace ddl::scenario

// The strict reader: a JSON value into settings.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/scenario/reading/findings.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::scenario {

// Sets the fields that the object `json` has and leaves the others at their defaults. Unknown or missing keys and
// values that do not fit are findings.
void read_json(const nlohmann::ordered_json& json, Scenario& scenario, Findings& findings);

// The same for the settings that `fields` shows. `known` are keys that may be there, too.
void read_object(const nlohmann::ordered_json& object, const std::function<void(FieldVisitor&)>& fields,
                 std::vector<std::string> known, const Place& place);

}  // namespace ddl::scenario

// JSON text to values and back, strictly: a key given twice, numbers that are too large and very deep nesting are
// errors.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/scenario/reading/findings.hpp"

namespace ddl::scenario {

inline constexpr std::size_t deepest_level = 64;  // lists and objects in one another

// Parses `text`, which may have // and /* */ comments. Returns false, with findings, if it is not JSON; repeated keys
// are findings, too, but `value` is still set.
bool parse_json(const std::string& text, Findings& findings, nlohmann::ordered_json& value);

// How an error line shows a value: scalars as written, "a list", "an object".
std::string shown(const nlohmann::ordered_json& value);

// Indented by two blanks; a list or object that fits into one line is written in one.
std::string layout(const nlohmann::ordered_json& value);

}  // namespace ddl::scenario

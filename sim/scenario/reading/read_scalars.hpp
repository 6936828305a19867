// Single JSON values to single settings. Each reports a value that does not fit, and then leaves the setting unchanged.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/field_value.hpp"
#include "core/base/units.hpp"
#include "sim/scenario/reading/findings.hpp"
#include "sim/scenario/reading/units.hpp"

namespace ddl::scenario {

// Values that a setting expects: "a bandwidth above 0 such as "40Mbps"".
std::string expected_value(const FieldValue& value, const Rule& rule);

void read_bool(const nlohmann::ordered_json& json, bool& value, const Place& place);
void read_text(const nlohmann::ordered_json& json, std::string& value, const Place& place);
void read_number(const nlohmann::ordered_json& json, double& value, const Rule& rule, const Place& place);
void read_share_or_count(const nlohmann::ordered_json& json, ShareOrCount& value, const Place& place);
// Whole numbers, also written as 8e3, between the bounds of the setting's type and its rule.
void read_whole(const nlohmann::ordered_json& json, std::int64_t& value, std::int64_t least, std::int64_t most,
                const Rule& rule, const Place& place);
void read_unsigned(const nlohmann::ordered_json& json, std::uint64_t& value, const Rule& rule, const Place& place);
void read_quantity(const nlohmann::ordered_json& json, double& value, Dimension dimension, const Rule& rule,
                   const Place& place);

}  // namespace ddl::scenario

// Single JSON values to single settings. Each reports a value that does not fit, and then leaves the setting unchanged.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/base/fields.hpp"
#include "core/base/units.hpp"
#include "sim/scenario/reading/findings.hpp"
#include "sim/scenario/reading/units.hpp"

namespace ddl::scenario {

void read_bool(const nlohmann::json& json, bool& value, const Place& place);
void read_text(const nlohmann::json& json, std::string& value, const Place& place);
void read_number(const nlohmann::json& json, double& value, const Rule& rule, const Place& place);
void read_share_or_count(const nlohmann::json& json, ShareOrCount& value, const Place& place);
// Whole numbers, also written as 8e3, between the bounds of the setting's type and its rule.
void read_whole(const nlohmann::json& json, std::int64_t& value, std::int64_t least, std::int64_t most,
                const Rule& rule, const Place& place);
void read_unsigned(const nlohmann::json& json, std::uint64_t& value, const Rule& rule, const Place& place);
void read_quantity(const nlohmann::json& json, double& value, Dimension dimension, const Rule& rule,
                   const Place& place);

}  // namespace ddl::scenario

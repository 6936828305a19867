// Random valid scenarios: any system with any settings on any network, small enough to run in a moment.
#pragma once

#include <cstdint>
#include <string>

namespace ddl {

// The text of scenario number `seed`, accepted by parse_scenario. The same seed gives the same text. Settings are drawn
// from their fields() and rules, so that new ones are drawn too; combinations that do not fit are drawn again.
std::string random_scenario(std::uint64_t seed);

}  // namespace ddl

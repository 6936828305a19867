// Counts with their nouns, for people to read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ddl {

// "1518" as "1,518"; signs, fractions and text that is no number stay unchanged.
std::string with_separators(std::string digits);

// "1 run", "1,518 runs", "2 minibatches".
std::string counted(std::int64_t count, std::string_view one);
// The same for a formatted number, such as "2.5": singular for "1".
std::string counted(const std::string& number, std::string_view one);

}  // namespace ddl

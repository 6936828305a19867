// Counts with their nouns, as a person reads them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ddl {

// "1518" as "1,518"; a sign, a fraction and what is no number stay as they are.
std::string with_separators(std::string digits);

// "1 run", "1,518 runs", "2 minibatches".
std::string counted(std::int64_t count, std::string_view one);
// Of a number that is written already, such as "2.5": singular where it is "1".
std::string counted(const std::string& number, std::string_view one);

}  // namespace ddl

// Quantities as a person reads them: three significant digits, the unit that fits.
#pragma once

#include <string>

namespace ddl::results {

std::string readable_seconds(double seconds);         // "340 ms", "12.3 s", "5.25 min", "7.5 h"
std::string readable_bytes(double bytes);             // "512 B", "17 MB": powers of 1000, as link speeds count
std::string readable_bits_per_s(double bytes_per_s);  // "80 Mbit/s", "10 Gbit/s"
std::string readable_share(double share);             // "87 %"; "0.4 %" below ten per cent
std::string readable_count(double count);             // "1,518"

}  // namespace ddl::results

// Dimensioned values as users write them: a number and its unit, such as "40Mbps", "20ms", "17MB", "50Gf".
#pragma once

#include <string>
#include <string_view>

namespace ddl::scenario {

enum class Dimension { time, size, bandwidth, speed };

// A value in seconds, bytes, bytes per second or floating-point operations per second; or, when `problem` is not
// empty, "what is wrong; what was expected".
struct Quantity {
  double value = 0;
  std::string problem;
};

// Decimal prefixes k, M, G, T (of bits, bytes and operations), Ki, Mi, Gi of bytes; ns, us, ms, s, min, h.
Quantity parse_quantity(std::string_view text, Dimension dimension);

// The shortest text which parse_quantity reads back as exactly this finite value. Bandwidths are written in bits.
std::string write_quantity(double value, Dimension dimension);

// The error for a bare number without a unit; `number` may be any JSON number.
std::string missing_unit(double number, Dimension dimension);

const char* dimension_name(Dimension dimension);  // "a bandwidth"
const char* example_of(Dimension dimension);      // "40Mbps"

// A regular expression (ECMA 262) that matches all texts with a valid form and unit.
std::string pattern_of(Dimension dimension);

}  // namespace ddl::scenario

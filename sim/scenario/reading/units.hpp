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

// The shortest text that parse_quantity gives back as exactly this finite value. Bandwidths are written in bits.
std::string write_quantity(double value, Dimension dimension);

// What to say of a bare number, which may be anything a JSON number can be.
std::string missing_unit(double number, Dimension dimension);

const char* dimension_name(Dimension dimension);  // "a bandwidth"
const char* example_of(Dimension dimension);      // "40Mbps"

// A regular expression (ECMA 262) of all texts whose form and unit are right.
std::string pattern_of(Dimension dimension);

}  // namespace ddl::scenario

// The natural order of names: w2 before w10.
#pragma once

#include <string_view>

namespace ddl {

// True if `a` comes before `b` when runs of digits compare as numbers and everything else byte by byte. Names that
// differ only in leading zeros compare as text, so that different names are never equal.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace ddl

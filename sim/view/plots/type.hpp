// The type of all pictures, DejaVu Sans, measured, so that texts can be placed without asking gnuplot. Widths are in
// units of the type's size.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ddl::view {

// From where the text starts to where the next would.
double text_width(std::string_view text);
double widest(const std::vector<std::string>& texts);

// Broken at blanks into lines of at most `room`; a longer word is broken itself, rather behind a mark such as _ than
// elsewhere. At least one line.
std::vector<std::string> broken(std::string_view text, double room);

}  // namespace ddl::view

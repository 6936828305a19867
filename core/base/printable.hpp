// Texts made safe for one line of a terminal.
#pragma once

#include <string>
#include <string_view>

namespace ddl {

// The text with "?" for control characters and for bytes that are not UTF-8, so that it stays on one line and cannot
// disturb a terminal.
std::string on_one_line(std::string_view text);

// The text in quotation marks, made safe by on_one_line and cut if long.
std::string in_quotes(std::string_view text);

}  // namespace ddl

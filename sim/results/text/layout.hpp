// Text for people, laid out for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ddl::results {

// All that is printed for people fits into so many columns, on a terminal of any width.
constexpr std::size_t text_columns = 80;

// Letters, not bytes, of UTF-8.
std::size_t columns_of(std::string_view text);

// Broken at blanks into lines of at most `width` letters; a longer word is a line of its own, or is broken itself,
// rather behind a mark such as _ than elsewhere, if `may_split`. At least one line.
std::vector<std::string> lines_of(std::string_view text, std::size_t width, bool may_split = false);

// `start` and `text`, broken into lines of text_columns; all but the first begin with as many blanks as `start` has
// letters. Ends with a line break.
std::string hanging(std::string_view start, std::string_view text);

// Each line of `text` broken likewise; what follows a break begins two blanks further in than the line.
std::string rewrapped(std::string_view text);

// "  label             text", broken likewise.
std::string labelled(std::string_view label, std::string_view text);

// Aligned columns, the first row their heads. What is too wide is printed in several blocks, one under the other, each
// with the first `keys` columns, or with a number of the row where these are too many; cells are broken into lines
// where that does not do it.
std::string text_table(const std::vector<std::vector<std::string>>& rows, std::size_t keys);

}  // namespace ddl::results

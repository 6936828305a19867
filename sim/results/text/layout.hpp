// Text for people, laid out for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ddl::results {

// Letters of a line where nobody knows how wide it may be; and of prose at most.
constexpr std::size_t text_columns = 80;

// Letters, not bytes, of UTF-8.
std::size_t columns_of(std::string_view text);

// Broken at blanks into lines of at most `width` letters; a longer word is a line of its own, or is broken itself,
// rather behind a mark such as _ than elsewhere, if `may_split`. At least one line.
std::vector<std::string> lines_of(std::string_view text, std::size_t width, bool may_split = false);

// `start` and `text`, broken into lines of `width` letters; all but the first begin with as many blanks as `start` has
// letters. Ends with a line break.
std::string hanging(std::string_view start, std::string_view text, std::size_t width);

// Each line of `text` broken likewise; what follows a break begins two blanks further in than the line.
std::string rewrapped(std::string_view text, std::size_t width);

// "  label             text", broken likewise.
std::string labelled(std::string_view label, std::string_view text, std::size_t width);

}  // namespace ddl::results

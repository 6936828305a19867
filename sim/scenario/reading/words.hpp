// Suggestions for unknown words, and texts made safe for error lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddl::scenario {

// The known word at the least edit distance (insertions, deletions, substitutions, swapped neighbours; case and '-'
// against '_' do not count), unless even that one is too different.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

// `did you mean "x"?`, or `otherwise` if no word is close.
std::string nearest_or(std::string_view word, const std::vector<std::string>& known, const std::string& otherwise);

// "a, b, c"; long lists are cut.
std::string listed(const std::vector<std::string>& words);

// The text in quotation marks, made safe by on_one_line and cut if long: for an error line.
std::string in_quotes(std::string_view text);

// The text with "?" for control characters and for bytes that are not UTF-8, so that it stays on one line and cannot
// disturb a terminal.
std::string on_one_line(std::string_view text);

}  // namespace ddl::scenario

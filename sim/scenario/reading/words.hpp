// Helping with words that are not known.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddl::scenario {

// The known word at the least edit distance (insertions, deletions, substitutions, swapped neighbours; capitals and
// '-' against '_' count as nothing), unless even that one is too different to be meant.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

// `did you mean "x"?`, or `otherwise` when nothing is near.
std::string nearest_or(std::string_view word, const std::vector<std::string>& known, const std::string& otherwise);

// "a, b, c"; long lists are cut.
std::string listed(const std::vector<std::string>& words);

// The text in quotation marks, cut when long, otherwise as on_one_line: fit for one line of an error.
std::string in_quotes(std::string_view text);

// The text with "?" for control characters and for bytes that are not UTF-8, so that it stays on one line and changes
// nothing in a terminal.
std::string on_one_line(std::string_view text);

}  // namespace ddl::scenario

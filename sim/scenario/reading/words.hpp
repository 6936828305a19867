// Suggestions for unknown words.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/printable.hpp"

namespace ddl::scenario {

// The known word at the least edit distance (insertions, deletions, substitutions, swapped neighbours; case and '-'
// against '_' do not count), unless even that one is too different.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

// `did you mean "x"?`, or `otherwise` if no word is close.
std::string nearest_or(std::string_view word, const std::vector<std::string>& known, const std::string& otherwise);

// "a, b, c"; long lists are cut.
std::string listed(const std::vector<std::string>& words);

// Texts from outside, made safe for error lines.
using ddl::in_quotes;
using ddl::on_one_line;

}  // namespace ddl::scenario

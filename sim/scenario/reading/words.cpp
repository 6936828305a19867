#include "sim/scenario/reading/words.hpp"

#include <algorithm>
#include <cctype>

namespace ddl::scenario {
namespace {

constexpr std::size_t kLongestWord = 64;  // longer words are never close to a known one
constexpr std::size_t kLongestQuote = 60;
constexpr std::size_t kMostListed = 24;

std::string plain(std::string_view word) {
  std::string result(word);
  for (char& letter : result) {
    letter = letter == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return result;
}

// Optimal string alignment: row i of the table has the distances between the first i letters of a and all prefixes of
// b.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

// Length of the UTF-8 character at the beginning of `text`, in its shortest form and no surrogate (RFC 3629, section
// 4). 0 if there is none, or a control character.
std::size_t printable_bytes(std::string_view text) {
  const auto between = [&](std::size_t at, unsigned least, unsigned most) {
    const unsigned byte = at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
    return byte >= least && byte <= most;
  };
  if (between(0, 0x20, 0x7e)) return 1;
  if (between(0, 0xc2, 0xdf)) return between(1, between(0, 0xc2, 0xc2) ? 0xa0 : 0x80, 0xbf) ? 2 : 0;
  if (between(0, 0xe0, 0xef)) {
    const bool second = between(1, between(0, 0xe0, 0xe0) ? 0xa0 : 0x80, between(0, 0xed, 0xed) ? 0x9f : 0xbf);
    return second && between(2, 0x80, 0xbf) ? 3 : 0;
  }
  if (between(0, 0xf0, 0xf4)) {
    const bool second = between(1, between(0, 0xf0, 0xf0) ? 0x90 : 0x80, between(0, 0xf4, 0xf4) ? 0x8f : 0xbf);
    return second && between(2, 0x80, 0xbf) && between(3, 0x80, 0xbf) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  const std::string wanted = plain(word);
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(wanted, plain(candidate));
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string nearest_or(std::string_view word, const std::vector<std::string>& known, const std::string& otherwise) {
  const auto near = nearest(word, known);
  return near ? "did you mean \"" + *near + "\"?" : otherwise;
}

std::string listed(const std::vector<std::string>& words) {
  std::string result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i == kMostListed) return result + ", ...";
    result += (i == 0 ? "" : ", ") + words[i];
  }
  return result;
}

std::string on_one_line(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = printable_bytes(text);
    if (length == 0) result += '?';
    result += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  if (text.size() <= kLongestQuote) return '"' + on_one_line(text) + '"';
  std::size_t end = kLongestQuote;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
  return '"' + on_one_line(text.substr(0, end)) + "...\"";
}

}  // namespace ddl::scenario

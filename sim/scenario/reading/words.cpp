#include "sim/scenario/reading/words.hpp"

#include <algorithm>
#include <cctype>

namespace ddl::scenario {
namespace {

constexpr std::size_t kLongestWord = 64;  // longer words are never close to a known one
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

}  // namespace ddl::scenario

#include "core/data/categories.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "core/data/files/csv_reader.hpp"

namespace ddl::data {

namespace {

std::string text_of(double number) {
  std::array<char, 32> text{};
  char* const end = text.data() + text.size();
  const bool is_whole = number == std::floor(number);
  return {text.data(), (is_whole ? std::to_chars(text.data(), end, number, std::chars_format::fixed)
                                 : std::to_chars(text.data(), end, number))
                           .ptr};
}

// True for words that are numbers below 2^53. Larger whole numbers, such as long keys, can share one double.
bool is_told_apart(const std::string& word) {
  const auto number = number_of(word);
  return number && std::fabs(*number) < 0x1p53;
}

}  // namespace

bool is_missing(std::string_view word) {
  static constexpr std::string_view words[] = {
      "",        "?",        ".",    "-",    "--",   "na",       "n/a",       "#n/a",     "#na",
      "<na>",    "null",     "none", "nil",  "nan",  "-nan",     "missing",   "1.#ind",   "-1.#ind",
      "1.#qnan", "-1.#qnan", "inf",  "-inf", "+inf", "infinity", "-infinity", "+infinity"};
  std::string small(word);
  for (char& letter : small) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return std::ranges::find(words, small) != std::end(words);
}

Categories::Categories(std::span<const std::string> words) : are_numbers_(std::ranges::all_of(words, is_told_apart)) {
  for (const std::string& word : words) {
    if (are_numbers_) {
      by_number_.try_emplace(*number_of(word), 0);
    } else {
      by_word_.try_emplace(word, 0);
    }
  }
  std::uint32_t place = 0;
  for (auto& [number, its] : by_number_) its = place++;
  for (auto& [word, its] : by_word_) its = place++;
}

std::vector<std::string> Categories::names() const {
  std::vector<std::string> names;
  for (const auto& [number, its] : by_number_) names.push_back(text_of(number));
  for (const auto& [word, its] : by_word_) names.push_back(word);
  return names;
}

std::optional<std::uint32_t> Categories::place(const std::string& word) const {
  if (are_numbers_) {
    const auto number = number_of(word);
    const auto found = number ? by_number_.find(*number) : by_number_.end();
    return found == by_number_.end() ? std::nullopt : std::optional(found->second);
  }
  const auto found = by_word_.find(word);
  return found == by_word_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace ddl::data

#include "core/data/categories.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ddl::data {

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

Categories::Categories(std::span<const std::string> words)
    : are_numbers_(std::ranges::all_of(words, [](const std::string& word) { return number_of(word).has_value(); })) {
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

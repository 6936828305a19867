#include "sim/results/writing/first_difference.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <vector>

namespace ddl::results {
namespace {

// The next line or field, which `text` then no longer has; separators between quotes are no separators.
std::string_view take(std::string_view& text, char separator) {
  bool quoted = false;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    if (text[end] == '"') quoted = !quoted;
    if (text[end] == separator && !quoted) break;
  }
  const std::string_view first = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return first;
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  while (!line.empty()) fields.emplace_back(take(line, ','));
  return fields;
}

std::string field(const std::vector<std::string>& fields, std::size_t column) {
  return column < fields.size() && !fields[column].empty() ? fields[column] : "nothing";
}

std::string trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string_view::npos) return "nothing";
  line.remove_prefix(first);
  if (line.ends_with(',')) line.remove_suffix(1);
  return std::string(line);
}

bool is_close(double a, double b, const Tolerance& tolerance) {
  return std::abs(a - b) <= tolerance.relative * std::max({std::abs(a), std::abs(b), tolerance.scale});
}

// Takes the number that begins `text`, if one does.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// Letter by letter, but for numbers. One within a word ("w1") is part of the word.
bool is_same(std::string_view a, std::string_view b, const Tolerance& tolerance) {
  if (a == b) return true;
  if (tolerance.relative <= 0) return false;
  bool in_word = false;
  while (!a.empty() && !b.empty()) {
    std::string_view rest_a = a, rest_b = b;
    const auto number_a = in_word ? std::nullopt : take_number(rest_a);
    const auto number_b = number_a ? take_number(rest_b) : std::nullopt;
    if (number_b) {
      if (!is_close(*number_a, *number_b, tolerance)) return false;
      a = rest_a, b = rest_b;
      in_word = true;
      continue;
    }
    if (a.front() != b.front()) return false;
    in_word = std::isalnum(static_cast<unsigned char>(a.front())) != 0 || a.front() == '_' || a.front() == '.';
    a.remove_prefix(1), b.remove_prefix(1);
  }
  return a.empty() && b.empty();
}

}  // namespace

std::optional<std::string> first_difference(std::string_view there, std::string_view here, const Tolerance& tolerance) {
  if (there == here) return std::nullopt;
  const std::string_view header_there = take(there, '\n'), header_here = take(here, '\n');
  if (header_there != header_here) return "the header";
  const std::vector<std::string> columns = fields_of(header_here);
  for (int row = 1; !there.empty() || !here.empty(); ++row) {
    const std::string number = "row " + std::to_string(row);
    if (there.empty()) return number + ": none there, one here";
    if (here.empty()) return number + ": one there, none here";
    const std::string_view line_there = take(there, '\n'), line_here = take(here, '\n');
    if (line_there == line_here) continue;
    const std::vector<std::string> before = fields_of(line_there), now = fields_of(line_here);
    const std::string of = " (" + field(now, 0) + "," + field(now, 1) + ")";
    for (std::size_t column = 0; column < std::max(before.size(), now.size()); ++column) {
      const std::string name = column < columns.size() ? columns[column] : std::to_string(column + 1);
      const bool exact = tolerance.of_times_only && !name.ends_with("_s");
      if (is_same(field(before, column), field(now, column), exact ? Tolerance{} : tolerance)) continue;
      return number + of + ", column " + name + ": " + field(before, column) + " there, " + field(now, column) +
             " here";
    }
    if (tolerance.relative <= 0) return number + of + ": written otherwise";
  }
  if (tolerance.relative > 0) return std::nullopt;
  return "the last line's end";
}

std::optional<std::string> first_different_line(std::string_view there, std::string_view here,
                                                const Tolerance& tolerance) {
  if (there == here) return std::nullopt;
  for (int number = 1; !there.empty() || !here.empty(); ++number) {
    const std::string before = trimmed(take(there, '\n')), now = trimmed(take(here, '\n'));
    if (!is_same(before, now, tolerance))
      return "line " + std::to_string(number) + ": " + before + " there, " + now + " here";
  }
  if (tolerance.relative > 0) return std::nullopt;
  return "white space";
}

}  // namespace ddl::results

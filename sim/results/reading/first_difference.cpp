#include "sim/results/reading/first_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <vector>

#include "core/base/check.hpp"
#include "sim/results/writing/result_files.hpp"

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

// The first field of a row that differs.
std::optional<std::string> different_field(const std::vector<std::string>& columns, std::string_view there,
                                           std::string_view here, const Tolerance& tolerance) {
  const std::vector<std::string> before = fields_of(there), now = fields_of(here);
  for (std::size_t column = 0; column < std::max(before.size(), now.size()); ++column) {
    const std::string name = column < columns.size() ? columns[column] : std::to_string(column + 1);
    const bool exact = tolerance.of_times_only && !name.ends_with("_s");
    const std::string one = field(before, column), other = field(now, column);
    if (is_same(one, other, exact ? Tolerance{} : tolerance)) continue;
    return fmt::format("({},{}), column {}: {} there, {} here", field(now, 0), field(now, 1), name, one, other);
  }
  return std::nullopt;
}

std::optional<std::string> different_row(std::string_view there, std::string_view here, const Tolerance& tolerance) {
  const std::string_view header = take(here, '\n');
  if (take(there, '\n') != header) return "the header";
  const std::vector<std::string> columns = fields_of(header);
  for (int row = 1; !there.empty() || !here.empty(); ++row) {
    if (there.empty()) return fmt::format("row {}: none there, one here", row);
    if (here.empty()) return fmt::format("row {}: one there, none here", row);
    const std::string_view before = take(there, '\n'), now = take(here, '\n');
    if (before == now) continue;
    if (const auto what = different_field(columns, before, now, tolerance)) return fmt::format("row {} {}", row, *what);
  }
  return std::nullopt;
}

std::optional<std::string> different_line(std::string_view there, std::string_view here, const Tolerance& tolerance) {
  for (int line = 1; !there.empty() || !here.empty(); ++line) {
    const std::string before = trimmed(take(there, '\n')), now = trimmed(take(here, '\n'));
    if (!is_same(before, now, tolerance)) return fmt::format("line {}: {} there, {} here", line, before, now);
  }
  return std::nullopt;
}

std::string text_of(const std::filesystem::path& file) {
  std::error_code ignored;
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file, ignored)) {
    throw InputError(file.string() + ": cannot be read; expected a result of ddlsim");
  }
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace

std::optional<std::string> first_difference(std::string_view name, std::string_view there, std::string_view here,
                                            const Tolerance& tolerance) {
  if (there == here) return std::nullopt;
  if (name.ends_with(".csv")) return different_row(there, here, tolerance);
  return name.ends_with(".json") ? different_line(there, here, tolerance) : "";
}

std::string first_difference(const FinishedRun& there, const FinishedRun& here) {
  constexpr double same_number = 1e-9;  // versions of SimGrid round times otherwise
  const bool other_digest = there.digest != here.digest;
  const std::string weights = other_digest ? "no table, but the final weights" : "";
  Tolerance tolerance{.relative = same_number, .scale = std::min(1.0, here.measure("simulated_seconds").value_or(1))};
  if (text_of(there.folder / platform_file) != text_of(here.folder / platform_file)) return platform_file;
  for (const std::string& name : compared_files(here.folder)) {
    if (other_digest && !name.ends_with(".csv")) return weights;
    tolerance.of_times_only = other_digest && is_in_digest(name);
    const auto place = first_difference(name, text_of(there.folder / name), text_of(here.folder / name), tolerance);
    if (place) return place->empty() ? name : name + ", " + *place;
  }
  return weights;
}

}  // namespace ddl::results

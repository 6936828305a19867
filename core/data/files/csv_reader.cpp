#include "core/data/files/csv_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "core/base/check.hpp"

namespace ddl::data {
namespace {

constexpr std::size_t most_cells = 100'000;
constexpr std::string_view marks = ",;\t";

std::string_view trimmed(std::string_view cell) {
  constexpr std::string_view blanks = " \t\r";
  while (!cell.empty() && blanks.find(cell.front()) != std::string_view::npos) cell.remove_prefix(1);
  while (!cell.empty() && blanks.find(cell.back()) != std::string_view::npos) cell.remove_suffix(1);
  return cell;
}

// Counts marks outside of quotes.
std::ptrdiff_t count_of(std::string_view line, char mark) {
  bool quoted = false;
  return std::ranges::count_if(line, [&](char letter) {
    quoted = quoted != (letter == '"');
    return letter == mark && !quoted;
  });
}

// The first mark that both lines contain equally often, or else the first line's.
char mark_of(std::string_view first, std::string_view second) {
  for (const bool alike : {true, false}) {
    for (const char mark : marks) {
      const std::ptrdiff_t count = count_of(first, mark);
      if (count > 0 && (!alike || count == count_of(second, mark))) return mark;
    }
  }
  return marks.front();
}

}  // namespace

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || problem == std::errc::invalid_argument) return std::nullopt;
  if (problem == std::errc::result_out_of_range) value = std::strtod(std::string(text).c_str(), nullptr);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

CsvReader::CsvReader(std::string_view text, std::string where) : where_(std::move(where)), rest_(text) {
  if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
  const std::size_t zero = rest_.find('\0');
  if (zero != std::string_view::npos) {
    line_ = 1 + static_cast<std::size_t>(std::ranges::count(rest_.substr(0, zero), '\n'));
    fail_in_row("holds a zero byte; expected text in UTF-8");
  }
  if (rest_.find('\n') == std::string_view::npos) break_ = '\r';
  skip_comments();
}

void CsvReader::skip_line() {
  const std::size_t end = rest_.find(break_);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  ++next_line_;
}

void CsvReader::skip_comments() {
  const auto line = [&] { return rest_.substr(0, rest_.find(break_)); };
  std::string_view comment;  // the last comment, and all text after it
  std::size_t its_line = 0;
  for (; !rest_.empty(); skip_line()) {
    if (rest_.starts_with('#')) {
      comment = rest_;
      its_line = next_line_;
    } else if (!trimmed(line()).empty()) {
      break;
    }
  }
  const std::string_view first = line(), begin = rest_;
  const std::size_t first_line = next_line_;
  skip_line();
  mark_ = mark_of(first, line());
  rest_ = begin;
  next_line_ = first_line;
  if (comment.empty() || !next()) return;
  const std::ptrdiff_t marks_in_row = std::ssize(cells_) - 1;
  const bool names_columns = marks_in_row > 0 &&
                             count_of(comment.substr(0, comment.find(break_)), mark_) == marks_in_row &&
                             std::ranges::any_of(cells_, [](const auto& cell) { return number_of(cell).has_value(); });
  rest_ = names_columns ? comment : begin;
  next_line_ = names_columns ? its_line : first_line;
  if (rest_.starts_with("# ")) rest_.remove_prefix(2);
}

bool CsvReader::next() {
  do {
    if (rest_.empty()) return false;
    read_row();
  } while (cells_.size() == 1 && cells_.front().empty());
  return true;
}

std::string_view CsvReader::row() const { return trimmed(row_); }

void CsvReader::read_row() {
  row_ = rest_;
  line_ = next_line_;
  std::size_t column = 0;
  for (bool more = true; more; ++column) {
    if (column == most_cells) fail_in_row("has more than 100,000 cells; expected at most as many");
    if (column == cells_.size()) cells_.emplace_back();
    more = read_cell(column);
  }
  cells_.resize(column);
  row_.remove_suffix(rest_.size());
  if (row_.ends_with(break_)) row_.remove_suffix(1);
}

// Reads one cell. True if another one follows in the row.
bool CsvReader::read_cell(std::size_t column) {
  const std::size_t begin = rest_.find_first_not_of(mark_ == '\t' ? " " : " \t");
  if (begin != std::string_view::npos && rest_[begin] == '"') {
    rest_.remove_prefix(begin + 1);
    read_quoted(column);
  } else {
    const std::size_t end = end_of_cell();
    cells_[column] = trimmed(rest_.substr(0, end));
    rest_.remove_prefix(end);
  }
  const bool more = rest_.starts_with(mark_);
  if (!more) ++next_line_;
  if (!rest_.empty()) rest_.remove_prefix(1);
  return more;
}

void CsvReader::read_quoted(std::size_t column) {
  const auto refuse = [&](const std::string& why) { fail_in_cell("column " + std::to_string(column + 1), why); };
  std::string& cell = cells_[column];
  cell.clear();
  for (bool quote = true; quote;) {
    const std::size_t end = rest_.find('"');
    if (end == std::string_view::npos) refuse("has no closing quote; expected one");
    cell += rest_.substr(0, end);
    next_line_ += static_cast<std::size_t>(std::ranges::count(rest_.substr(0, end), break_));
    rest_.remove_prefix(end + 1);
    quote = rest_.starts_with('"');
    if (quote) cell += '"', rest_.remove_prefix(1);
  }
  const std::size_t end = end_of_cell();
  if (!trimmed(rest_.substr(0, end)).empty()) refuse("goes on behind its closing quote; expected a comma there");
  rest_.remove_prefix(end);
}

std::size_t CsvReader::end_of_cell() const {
  std::size_t end = 0;
  while (end < rest_.size() && rest_[end] != mark_ && rest_[end] != break_) ++end;
  return end;
}

void CsvReader::fail(const std::string& why) const { throw InputError(where_ + why); }
void CsvReader::fail_in_row(const std::string& why) const { fail("line " + std::to_string(line_) + ": " + why); }
void CsvReader::fail_in_cell(const std::string& cell, const std::string& why) const {
  fail("line " + std::to_string(line_) + ", " + cell + ": " + why);
}

}  // namespace ddl::data

#include "sim/results/text/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace ddl::results {
namespace {

using Row = std::vector<std::string>;
using Widths = std::vector<std::size_t>;

constexpr std::size_t label_width = 18;
constexpr std::size_t gap = 2;              // between columns
constexpr std::size_t narrowest_key = 10;   // that a key column is made, unless it is less by itself
constexpr std::size_t keys_of_blocks = 36;  // columns for the keys where there are several blocks
constexpr std::size_t most_of_keys = 60;    // columns for the keys; rows that need more are numbered

bool begins_letter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

// Where the first `count` letters of `text` end.
std::size_t end_of_letters(std::string_view text, std::size_t count) {
  std::size_t letters = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (begins_letter(text[at]) && letters++ == count) return at;
  }
  return text.size();
}

// Where to break a word that is longer than `width`: behind a mark within it, if that leaves no short rest of a line.
std::size_t break_of(std::string_view word, std::size_t width) {
  const std::size_t most = end_of_letters(word, width);
  const std::size_t mark = word.substr(0, most).find_last_of("._/=,:-");
  return mark != std::string_view::npos && columns_of(word.substr(0, mark + 1)) * 3 >= width ? mark + 1 : most;
}

std::vector<std::string> words_of(std::string_view text, std::size_t width, bool may_split) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    std::string_view word = text.substr(0, end);
    while (may_split && columns_of(word) > width) {
      const std::size_t part = break_of(word, width);
      words.emplace_back(word.substr(0, part));
      word.remove_prefix(part);
    }
    if (!word.empty()) words.emplace_back(word);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return words;
}

// A row whose cells may have several lines.
std::string row_text(const Row& row, const std::vector<std::size_t>& columns, const Widths& widths) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (const std::size_t column : columns) {
    cells.push_back(lines_of(row[column], widths[column], true));
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    std::string all;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string cell = line < cells[i].size() ? cells[i][line] : "";
      all += cell + std::string(widths[columns[i]] + gap - columns_of(cell), ' ');
    }
    text += all.substr(0, all.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::size_t total(const Widths& widths, std::size_t first, std::size_t end) {
  return std::accumulate(widths.begin() + static_cast<std::ptrdiff_t>(first),
                         widths.begin() + static_cast<std::ptrdiff_t>(end), std::size_t{0}) +
         gap * (end - first);
}

// Makes keys narrower until they fit: first those whose head is wider than what is below it, then the widest.
void narrow_keys(Widths& widths, const Widths& below, std::size_t keys, std::size_t room) {
  const auto rank = [&](std::size_t key) {
    const bool of_head = widths[key] > below[key] && widths[key] > narrowest_key;
    return std::pair(of_head, widths[key]);
  };
  while (total(widths, 0, keys) > room) {
    std::size_t chosen = 0;
    for (std::size_t key = 1; key < keys; ++key) {
      if (rank(key) > rank(chosen)) chosen = key;
    }
    if (widths[chosen] <= narrowest_key) return;
    --widths[chosen];
  }
}

Widths widths_of(const std::vector<Row>& rows, std::size_t first) {
  Widths widths(rows.front().size());
  for (std::size_t row = first; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], columns_of(rows[row][i]));
  }
  return widths;
}

bool too_many(const Widths& widths, std::size_t keys) {
  std::size_t least = 0;
  for (std::size_t i = 0; i < keys; ++i) least += std::min(widths[i], narrowest_key) + gap;
  return least > most_of_keys;
}

std::vector<Row> numbered(std::vector<Row> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].insert(rows[i].begin(), i == 0 ? "row" : std::to_string(i));
  return rows;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_letter));
}

std::vector<std::string> lines_of(std::string_view text, std::size_t width, bool may_split) {
  std::vector<std::string> lines(1);
  for (const std::string& word : words_of(text, std::max<std::size_t>(width, 1), may_split)) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (columns_of(line) + 1 + columns_of(word) <= width) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string hanging(std::string_view start, std::string_view text) {
  const std::size_t indent = columns_of(start);
  std::string all;
  for (const std::string& line : lines_of(text, text_columns - std::min(indent, text_columns - 1))) {
    all += (all.empty() ? std::string(start) : std::string(indent, ' ')) + line + "\n";
  }
  return all;
}

std::string rewrapped(std::string_view text) {
  std::string all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    bool first = true;
    // The first line has room for two letters more, which is left.
    for (const std::string& part :
         lines_of(line.substr(indent), text_columns - std::min(indent + 2, text_columns - 1))) {
      all += std::string(part.empty() ? 0 : indent + (first ? 0 : 2), ' ') + part + "\n";
      first = false;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

std::string labelled(std::string_view label, std::string_view text) {
  return hanging(fmt::format("  {:<{}}", label, label_width), text);
}

std::string text_table(const std::vector<Row>& rows, std::size_t keys) {
  Widths widths = widths_of(rows, 0);
  if (too_many(widths, keys)) return text_table(numbered(rows), 1);
  const std::size_t line = text_columns + gap;  // the last column has no gap behind it
  const std::size_t others = total(widths, keys, widths.size());
  if (total(widths, 0, keys) + others > line) {
    const std::size_t least = narrowest_key * 2 + gap * keys;
    narrow_keys(widths, widths_of(rows, 1), keys, others + least <= line ? line - others : keys_of_blocks);
  }
  for (std::size_t i = keys; i < widths.size(); ++i) {
    widths[i] = std::min(widths[i], line - std::min(line - gap - 1, total(widths, 0, keys)) - gap);
  }
  std::string text;
  std::size_t next = keys;
  do {
    std::vector<std::size_t> columns(keys);
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    std::size_t used = total(widths, 0, keys);
    while (next < widths.size() && (columns.size() == keys || used + widths[next] + gap <= line)) {
      used += widths[next] + gap;
      columns.push_back(next++);
    }
    if (!text.empty()) text += "\n";
    for (const Row& row : rows) text += row_text(row, columns, widths);
  } while (next < widths.size());
  return text;
}

}  // namespace ddl::results

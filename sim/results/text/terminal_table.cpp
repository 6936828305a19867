// Tables on terminals.
#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/results/text/layout.hpp"
#include "sim/results/text/table.hpp"

namespace ddl::results {
namespace {

using Row = std::vector<std::string>;
using Widths = std::vector<std::size_t>;

constexpr std::size_t gap = 2;             // between columns
constexpr std::size_t narrowest_key = 10;  // least width of a key column, unless its content is narrower

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

// Width for all keys where a table comes in several blocks.
std::size_t share_of_keys(std::size_t width) { return width * 9 / 20; }

// Rows whose keys need more than three quarters of a line are numbered instead.
bool too_many(const Widths& widths, std::size_t keys, std::size_t width) {
  std::size_t least = 0;
  for (std::size_t i = 0; i < keys; ++i) least += std::min(widths[i], narrowest_key) + gap;
  return 4 * least > 3 * width;
}

std::vector<Row> numbered(std::vector<Row> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].insert(rows[i].begin(), i == 0 ? "row" : std::to_string(i));
  return rows;
}

std::string blocks_of(const std::vector<Row>& rows, std::size_t keys, std::size_t width) {
  Widths widths = widths_of(rows, 0);
  if (too_many(widths, keys, width)) return blocks_of(numbered(rows), 1, width);
  const std::size_t line = width + gap;  // the last column has no gap behind it
  const std::size_t others = total(widths, keys, widths.size());
  if (total(widths, 0, keys) + others > line) {
    const std::size_t least = narrowest_key * 2 + gap * keys;
    narrow_keys(widths, widths_of(rows, 1), keys, others + least <= line ? line - others : share_of_keys(width));
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

}  // namespace

std::string terminal_text(const Table& table, std::size_t width) {
  std::vector<Row> rows(1);
  for (const Column& column : table.columns) rows[0].push_back(column.title);
  for (const TableLine& line : table.rows) {
    Row& row = rows.emplace_back();
    for (const Cell& cell : line) row.push_back(cell.text);
  }
  return blocks_of(rows, table.keys, width);
}

}  // namespace ddl::results

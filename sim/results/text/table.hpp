// A table apart from how it is shown: what its columns are, and its cells. One writer for each form: a terminal
// and CSV.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ddl::results {

struct Column {
  std::string key;    // to programs: "time_to_accuracy_s.0.8"
  std::string title;  // to people: "time to 0.8"
};

struct Cell {
  std::string text;  // to people; to programs, too, unless the cell has something else for them
  std::optional<std::string> data = std::nullopt;
  bool is_number = false;  // to programs `number`, or nothing
  std::optional<double> number = std::nullopt;

  Cell() = default;
  Cell(std::string shown) : text(std::move(shown)) {}  // NOLINT(google-explicit-constructor)
  Cell(const char* shown) : text(shown) {}             // NOLINT(google-explicit-constructor)
  Cell(std::string shown, std::optional<double> value) : text(std::move(shown)), is_number(true), number(value) {}
};

using TableLine = std::vector<Cell>;

struct Table {
  std::vector<Column> columns;
  std::vector<TableLine> rows;
  std::size_t keys = 1;  // columns that tell rows apart; where a table is broken into blocks, each has them

  // A table of texts alone; the first row has the titles.
  static Table of(const std::vector<std::vector<std::string>>& rows, std::size_t keys = 1);
};

// Aligned columns below their titles. What is wider than `width` letters comes in several blocks, one under the other,
// each with the keys, or with a number of the row where these are too many; cells are broken into lines where that does
// not do it.
std::string terminal_text(const Table& table, std::size_t width);
// Line by line, for tables that are too long to be kept.
std::string csv_header(const std::vector<Column>& columns);
std::string csv_line(const TableLine& line);

}  // namespace ddl::results

// Reads the tables of results back. Strict: a line with too few fields, or a field that is not what it should be, is an
// InputError that names file, line and column.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/files/csv_reader.hpp"

namespace ddl::results {

class TableRow {
 public:
  TableRow(const data::CsvReader& rows, const std::vector<std::string>& columns) : rows_(rows), columns_(columns) {}

  const std::vector<std::string>& columns() const { return columns_; }
  const std::string& text(std::size_t column) const { return rows_.cells().at(column); }
  // May be nan or inf, which say that training diverged.
  double number(std::size_t column) const;
  // Nothing for an empty field.
  std::optional<double> number_if_any(std::size_t column) const;
  std::int64_t whole(std::size_t column) const;

 private:
  [[noreturn]] void refuse(std::size_t column, const char* expected) const;
  template <class Number>
  Number parsed(std::size_t column, const char* expected) const;

  const data::CsvReader& rows_;
  const std::vector<std::string>& columns_;
};

// Calls `row` for each row below the header, in order. The header must be `header` (as in sim/results/writing/csv.hpp),
// or may be any if that is empty. Throws InputError.
void read_table(const std::filesystem::path& file, std::string_view header,
                const std::function<void(const TableRow&)>& row);

}  // namespace ddl::results

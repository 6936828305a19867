// Tables (core/data/files/csv_reader.hpp) whose columns are known.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "core/data/files/csv_reader.hpp"

namespace ddl::scenario {

class HeadedTable {
 public:
  // Reads the header, which must be one of these, such as "from,to". Every error, here and below, is an InputError
  // without the file's name.
  HeadedTable(std::string_view text, std::initializer_list<std::string_view> headers);

  // Goes to the next row below, which must have as many cells as the header; false after the last one.
  bool next();
  std::size_t columns() const { return columns_; }
  const std::string& text(std::size_t column) const { return rows_.cells()[column]; }
  std::optional<double> number(std::size_t column) const { return data::number_of(text(column)); }
  std::size_t line() const { return rows_.line(); }
  // Says of the row what is wrong with it: "line 3: "a,b" WHAT".
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  data::CsvReader rows_;
  std::size_t columns_ = 0;
};

}  // namespace ddl::scenario

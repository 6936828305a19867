// Text tables (RFC 4180), as written by spreadsheets and programs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddl::data {

// The number that is all of `text`; 0 if it is too small for a double. None for other text or values that are not
// finite.
std::optional<double> number_of(std::string_view text);

// Rows of cells between commas, or between semicolons or tabs if the first two lines have those. Cells may be in
// quotes; they may then contain such marks, line breaks, and doubled quotes. Ignored: blanks around a cell, empty
// lines, a byte order mark, and lines before the first row that begin with #. But the last of these is the header if it
// has as many cells as the rows below, and these contain a number (NumPy writes "# a,b").
class CsvReader {
 public:
  // Reads `text`, which must outlive this. Each error, here and below, is an InputError that begins with `where`, such
  // as "x.csv: ".
  CsvReader(std::string_view text, std::string where);

  // Goes to the next row; false after the last one.
  bool next();
  const std::vector<std::string>& cells() const { return cells_; }
  std::string_view row() const;  // as written

  [[noreturn]] void fail(const std::string& why) const;
  [[noreturn]] void fail_in_row(const std::string& why) const;  // names its first line
  // `cell` is such as "column 2".
  [[noreturn]] void fail_in_cell(const std::string& cell, const std::string& why) const;
  std::size_t line() const { return line_; }  // from 1

 private:
  void skip_comments();
  void skip_line();
  void read_row();
  bool read_cell(std::size_t column);
  void read_quoted(std::size_t column);
  std::size_t end_of_cell() const;

  const std::string where_;
  std::string_view rest_, row_;
  std::vector<std::string> cells_;
  char break_ = '\n', mark_ = ',';
  std::size_t line_ = 0, next_line_ = 1;
};

}  // namespace ddl::data

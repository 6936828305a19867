// Tables in text (RFC 4180), as spreadsheets and programs write them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddl::data {

// The number that `text` is, with nothing else around it; 0 where it is too small for a double. None if it is none or
// not finite.
std::optional<double> number_of(std::string_view text);

// Rows of cells between commas, or between semicolons or tabs where the first two lines have those. Cells may be in
// quotes, and then hold such marks, line breaks, and quotes, which are doubled. Blanks around a cell, empty lines and a
// byte order mark do not count, nor do lines above the first row that start with #; but the last of them is the header
// where its cells are as many as those below, and a number is among these (NumPy writes "# a,b").
class CsvReader {
 public:
  // Reads `text`, which stays where it is. Each error, here and below, is an InputError that starts with `where`, such
  // as "x.csv: ".
  CsvReader(std::string_view text, std::string where);

  // Goes to the next row; false after the last one.
  bool next();
  const std::vector<std::string>& cells() const { return cells_; }
  std::string_view row() const;  // as it is written

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

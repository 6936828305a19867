#include "core/data/files/csv_reader.hpp"

#include <doctest/doctest.h>

#include "core/base/check.hpp"
#include "tests/support/dialects.hpp"

namespace ddl::data::csv_reader_test {

namespace {

using Row = std::vector<std::string>;

std::vector<Row> rows_of(const std::string& text) {
  std::vector<Row> rows;
  for (CsvReader reader(text, "x: "); reader.next();) rows.push_back(reader.cells());
  return rows;
}

std::string error_of(const std::string& text) {
  try {
    rows_of(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a table is the same in every way to write it") {
  const std::string plain = "a,b,y\n1,-2.5,p\n3,4e1,q\n";
  const std::vector<Row> expected = {{"a", "b", "y"}, {"1", "-2.5", "p"}, {"3", "4e1", "q"}};
  for (const auto& [what, text] : dialects_of(plain)) {
    CAPTURE(what);
    CHECK(rows_of(text) == expected);
  }
}

TEST_CASE("cells in quotes hold marks, line breaks and quotes, and the next row has its own line") {
  const std::string text = "a,b\n \"x,\"\"y\"\"\n;\" , z\n\"\",2\n";
  CsvReader reader(text, "");
  REQUIRE(reader.next());
  REQUIRE(reader.next());
  CHECK(reader.cells() == Row{"x,\"y\"\n;", "z"});
  CHECK(reader.line() == 2);
  CHECK(reader.row() == "\"x,\"\"y\"\"\n;\" , z");
  REQUIRE(reader.next());
  CHECK(reader.cells() == Row{"", "2"});
  CHECK(reader.line() == 4);
  CHECK_FALSE(reader.next());
}

TEST_CASE("cells are between what the first two lines have alike, and commas decide before others") {
  CHECK(rows_of("size (m,k);y\n1;2\n") == std::vector<Row>{{"size (m,k)", "y"}, {"1", "2"}});
  CHECK(rows_of("a;x,b;y\n1,2\n") == std::vector<Row>{{"a;x", "b;y"}, {"1", "2"}});
  CHECK(rows_of("a;b\n1,5;2,5\n") == std::vector<Row>{{"a", "b"}, {"1,5", "2,5"}});
  CHECK(rows_of("\"a;b\",c\n\"1;2\",3\n") == std::vector<Row>{{"a;b", "c"}, {"1;2", "3"}});
  CHECK(rows_of("a\t\tb\n1\t\t2\n") == std::vector<Row>{{"a", "", "b"}, {"1", "", "2"}});
  CHECK(rows_of("a;b\n1\n") == std::vector<Row>{{"a", "b"}, {"1"}});
}

TEST_CASE("lines with # above a table are comments, unless the last one names the columns of numbers") {
  CHECK(rows_of("# of May, in m/s\n#\n\na,b\n1,2\n") == std::vector<Row>{{"a", "b"}, {"1", "2"}});
  CHECK(rows_of("# from numpy.savetxt\n# a,b\n1,2\n") == std::vector<Row>{{"a", "b"}, {"1", "2"}});
  CHECK(rows_of("#id,b\n1,2\n") == std::vector<Row>{{"#id", "b"}, {"1", "2"}});
  CHECK(rows_of("#x\n1\n") == std::vector<Row>{{"1"}});
  CHECK(rows_of("# alone\n#").empty());
  const std::string text = "# one\n\n# a,b\n1,2\n3\n";
  CsvReader reader(text, "");
  REQUIRE(reader.next());
  CHECK(reader.line() == 3);
  REQUIRE(reader.next());
  REQUIRE(reader.next());
  CHECK(reader.line() == 5);
}

TEST_CASE("a file that is no table is refused with its line") {
  CHECK(error_of("a,b\n1,\"2\n3,4\n") == "x: line 2, column 2: has no closing quote; expected one");
  CHECK(error_of("a,b\n1,\"2\"3\n") == "x: line 2, column 2: goes on behind its closing quote; expected a comma there");
  CHECK(error_of(std::string("a,b\n1,2\0\n", 9)) == "x: line 2: holds a zero byte; expected text in UTF-8");
  CHECK(error_of(std::string("\xff\xfe"
                             "a\0,\0",
                             6)) == "x: line 1: holds a zero byte; expected text in UTF-8");
  CHECK(error_of(std::string(100'000, ',')) == "x: line 1: has more than 100,000 cells; expected at most as many");
  CHECK(error_of("") == "");
}

TEST_CASE("a number is decimal, finite, and 0 where it is too small for a double") {
  const std::pair<const char*, double> numbers[] = {
      {"1", 1},      {"+1.5", 1.5},  {"-2e3", -2000},        {".5", 0.5},       {"5.", 5},
      {"1e-400", 0}, {"-1e-400", 0}, {"4.9e-324", 4.9e-324}, {"1E+308", 1e308}, {"007", 7}};
  for (const auto& [text, value] : numbers) {
    CAPTURE(text);
    CHECK(number_of(text) == value);
  }
  CHECK(number_of("0." + std::string(400, '0') + "1") == 0);
  for (const char* text : {"", " 1", "1 ", "1e400", "-1e400", "0x10", "0x1p3", "1,5", "1_000", "nan", "inf",
                           "-infinity", "+-1", "++1", "1e", "e1", "true", "1f", "\xc2\xbd"}) {
    CAPTURE(text);
    CHECK_FALSE(number_of(text));
  }
  CHECK_FALSE(number_of("1" + std::string(400, '0')));
}

}  // namespace ddl::data::csv_reader_test

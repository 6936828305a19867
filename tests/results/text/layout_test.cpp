// Text laid out for a terminal: by hand, then compared.
#include "sim/results/text/layout.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/results/text/table.hpp"

namespace ddl::results {
namespace {

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, columns_of(line));
  return most;
}

std::string text_table(const std::vector<std::vector<std::string>>& rows, std::size_t keys, std::size_t width = 80) {
  return terminal_text(Table::of(rows, keys), width);
}

TEST_CASE("letters count, not bytes") {
  CHECK(columns_of("a \xc2\xb1 b") == 5);
  CHECK(columns_of("") == 0);
}

TEST_CASE("lines break at blanks, and a long word stands alone or is split") {
  CHECK(lines_of("one two three", 7) == std::vector<std::string>{"one two", "three"});
  CHECK(lines_of("a extraordinary b", 5) == std::vector<std::string>{"a", "extraordinary", "b"});
  CHECK(lines_of("a extraordinary b", 5, true) == std::vector<std::string>{"a", "extra", "ordin", "ary b"});
  CHECK(lines_of("\xc2\xb1\xc2\xb1\xc2\xb1", 2, true) == std::vector<std::string>{"\xc2\xb1\xc2\xb1", "\xc2\xb1"});
  CHECK(lines_of("ring_allreduce", 11, true) == std::vector<std::string>{"ring_", "allreduce"});
  CHECK(lines_of("platform.site_bandwidth x", 12, true) ==
        std::vector<std::string>{"platform.", "site_", "bandwidth x"});
  CHECK(lines_of("a_extraordinary", 9, true) ==
        std::vector<std::string>{"a_extraor", "dinary"});  // too near to the start
  CHECK(lines_of("", 5) == std::vector<std::string>{""});
}

TEST_CASE("text after a break stands under the text, not under its label") {
  const std::string words = "word word word word word word word word word word word word word";  // 64 letters
  CHECK(labelled("label", words, 80) ==
        "  label             word word word word word word word word word word word word\n"
        "                    word\n");
  CHECK(rewrapped("  " + words + " word word word\n", 80) == "  " + words + " word word\n    word\n");
}

TEST_CASE("a table that fits is one block, aligned") {
  CHECK(text_table({{"name", "x", "y"}, {"long name", "1", "22"}}, 1) ==
        "name       x  y\n"
        "long name  1  22\n");
}

TEST_CASE("a table that is too wide has its keys broken into lines, then comes in blocks with the keys in each") {
  const std::string cell(20, 'c');
  const std::string key = "a key of several words that go on and on";
  const std::string narrow = text_table({{"k", "p", "q"}, {key, cell, cell}}, 1);
  CHECK(widest(narrow) <= 80);
  CHECK(narrow.find("\n\n") == std::string::npos);
  // 80 - 2 x (20 + 2) leave 36 for the key, which breaks after 33.
  CHECK(narrow.find("a key of several words that go on" + std::string(3 + 2, ' ') + cell) != std::string::npos);
  const std::string blocks = text_table({{"k", "p", "q", "r", "s"}, {"key", cell, cell, cell, cell}}, 1);
  CHECK(blocks == "k    p                     q                     r\nkey  " + cell + "  " + cell + "  " + cell +
                      "\n\nk    s\nkey  " + cell + "\n");
  // As wide as the terminal.
  CHECK(widest(text_table({{"k", "p", "q", "r", "s"}, {"key", cell, cell, cell, cell}}, 1, 200)) == 5 + 4 * 20 + 3 * 2);
  CHECK(widest(text_table({{"k", "p", "q", "r", "s"}, {key, cell, cell, cell, cell}}, 1, 60)) <= 60);
  const std::string wide(200, 'w');
  for (const std::size_t width : {40, 60, 120})
    CHECK(widest(text_table({{"k", "p"}, {wide, wide}}, 1, width)) <= width);
  CHECK(widest(text_table({{"k", "p"}, {"key", wide}}, 1)) == 80);
  CHECK(widest(text_table({{"k", "p"}, {wide, wide}}, 1)) <= 80);
}

TEST_CASE("prose follows a narrow terminal, and is no wider on a wide one") {
  std::string words = "word";
  for (int i = 0; i < 50; ++i) words += " word";
  for (const std::size_t width : {40, 60, 80, 200}) {
    const std::size_t most = std::min<std::size_t>(width, 80);
    for (const std::string& text :
         {hanging("  start ", words, width), labelled("label", words, width), rewrapped("  " + words + "\n", width)}) {
      CHECK(widest(text) <= most);
      CHECK(widest(text) > most - 10);
    }
  }
}

// A number, a text that programs read otherwise, and missing cells.
Table small_table() {
  Cell mean("0.9000 ± 0.0100 (2 of 3)", 0.9);
  Cell bandwidth("40Mbps");
  bandwidth.data = "4e+07";
  return {.columns = {{.key = "scheme", .title = "scheme"},
                      {.key = "bandwidth_bit_per_s", .title = "bandwidth"},
                      {.key = "accuracy", .title = "final accuracy"},
                      {.key = "speed_up", .title = "over one"}},
          .rows = {{"ako_p3, \"x\"", bandwidth, mean, Cell("2.31x", 2.3125)},
                   {"a|b & 50 %", "none", Cell("-", std::nullopt), Cell("-", std::nullopt)}}};
}

TEST_CASE("one table has two forms") {
  const Table table = small_table();
  CHECK(terminal_text(table, 80) ==
        "scheme       bandwidth  final accuracy            over one\n"
        "ako_p3, \"x\"  40Mbps     0.9000 ± 0.0100 (2 of 3)  2.31x\n"
        "a|b & 50 %   none       -                         -\n");
  std::string csv = csv_header(table.columns);
  for (const TableLine& line : table.rows) csv += csv_line(line);
  CHECK(csv ==
        "scheme,bandwidth_bit_per_s,accuracy,speed_up\n"
        "\"ako_p3, \"\"x\"\"\",4e+07,0.9,2.3125\n"
        "a|b & 50 %,none,,\n");
}

}  // namespace
}  // namespace ddl::results

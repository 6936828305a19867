// Text laid out for a terminal: by hand, then compared.
#include "sim/results/text/layout.hpp"

#include <doctest/doctest.h>

#include <sstream>

namespace ddl::results {
namespace {

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, columns_of(line));
  return most;
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

TEST_CASE("what follows a break stands under the text, not under its label") {
  const std::string words = "word word word word word word word word word word word word word";  // 64 letters
  CHECK(labelled("label", words) ==
        "  label             word word word word word word word word word word word word\n"
        "                    word\n");
  CHECK(rewrapped("  " + words + " word word word\n") == "  " + words + " word word\n    word\n");
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
  const std::string wide(200, 'w');
  CHECK(widest(text_table({{"k", "p"}, {"key", wide}}, 1)) == 80);
  CHECK(widest(text_table({{"k", "p"}, {wide, wide}}, 1)) <= 80);
}

}  // namespace
}  // namespace ddl::results

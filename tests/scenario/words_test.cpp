#include "sim/scenario/reading/words.hpp"

#include <doctest/doctest.h>

namespace ddl::scenario {
namespace {

const std::vector<std::string> kKnown = {"workers", "servers", "bandwidth", "latency", "on_arrival"};

TEST_CASE("the nearest word is found through a missing, extra, wrong or swapped letter") {
  CHECK(nearest("worker", kKnown) == "workers");
  CHECK(nearest("bandwidtth", kKnown) == "bandwidth");
  CHECK(nearest("latancy", kKnown) == "latency");
  CHECK(nearest("severrs", kKnown) == "servers");
  CHECK(nearest("On-Arrival", kKnown) == "on_arrival");
}

TEST_CASE("no word is near when more than a third of it is wrong") {
  CHECK_FALSE(nearest("x", kKnown));
  CHECK_FALSE(nearest("", kKnown));
  CHECK_FALSE(nearest("topology", kKnown));
  CHECK_FALSE(nearest(std::string(100000, 'w'), kKnown));
}

TEST_CASE("quoted text stays on one line, is cut when long, and never within a character") {
  CHECK(in_quotes("a\nb\x1b") == "\"a?b?\"");
  CHECK(in_quotes(std::string(61, 'a')) == "\"" + std::string(60, 'a') + "...\"");
  const std::string umlauts = "a\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4";
  CHECK(in_quotes(umlauts + umlauts + umlauts).size() == 2 + 59 + 3 + 0);
}

TEST_CASE("of any bytes only printable UTF-8 characters are shown, and a question mark for each other byte") {
  const std::string printable = "~ \xc2\xa0\xc3\xa4\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf";
  CHECK(on_one_line(printable) == printable);
  // A continuation alone, an overlong slash, half a surrogate, beyond Unicode, cut off, and two control characters.
  CHECK(on_one_line("\x80|") == "?|");
  CHECK(on_one_line("\xc0\xaf|\xe0\x80\xaf|") == "??|???|");
  CHECK(on_one_line("\xed\xa0\x80|\xf4\x90\x80\x80|") == "???|????|");
  CHECK(on_one_line("\xe2\x82") == "??");
  CHECK(on_one_line("\x7f|\xc2\x85|") == "?|??|");
}

}  // namespace
}  // namespace ddl::scenario

#include "core/base/printable.hpp"

#include <doctest/doctest.h>

#include "core/base/check.hpp"

namespace ddl {
namespace {

TEST_CASE("quoted text stays on one line, is cut when long, and never within a character") {
  CHECK(in_quotes("a\nb\x1b") == "\"a?b?\"");
  CHECK(in_quotes(std::string(61, 'a')) == "\"" + std::string(60, 'a') + "...\"");
  const std::string umlauts = "a\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4";
  CHECK(in_quotes(umlauts + umlauts + umlauts).size() == 2 + 59 + 3 + 0);
}

TEST_CASE("only printable UTF-8 characters of any bytes are shown, and a question mark for each other byte") {
  const std::string printable = "~ \xc2\xa0\xc3\xa4\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf";
  CHECK(on_one_line(printable) == printable);
  // A continuation alone, an overlong slash, half a surrogate, beyond Unicode, cut off, and two control characters.
  CHECK(on_one_line("\x80|") == "?|");
  CHECK(on_one_line("\xc0\xaf|\xe0\x80\xaf|") == "??|???|");
  CHECK(on_one_line("\xed\xa0\x80|\xf4\x90\x80\x80|") == "???|????|");
  CHECK(on_one_line("\xe2\x82") == "??");
  CHECK(on_one_line("\x7f|\xc2\x85|") == "?|??|");
  // A line's end and a paragraph's, text from right to left and an end of it; their neighbours stay.
  CHECK(on_one_line("\xe2\x80\xa8|\xe2\x80\xa9|\xe2\x80\xae|\xe2\x81\xa9|") == "???|???|???|???|");
  CHECK(on_one_line("\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xaa") == "\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xaa");
}

TEST_CASE("an input error is one printable line, whatever is in it, and a zero byte does not cut it") {
  const std::string text("a\0b\nc\r\xff; expected less", 22);
  CHECK(std::string(InputError(text).what()) == "a?b?c??; expected less");
}

}  // namespace
}  // namespace ddl

#include <doctest/doctest.h>

#include "tests/scenario/texts.hpp"
#include "tests/support/examples.hpp"

namespace ddl::scenario {
namespace {

TEST_CASE("every broken scenario gives one line with its path, what is wrong and what was expected") {
  for (const Example& example : examples_in("tests/scenario/broken.txt")) {
    CAPTURE(example.place);
    CAPTURE(example.given);
    const std::vector<std::string> lines = errors_of(whole_text(example.given));
    REQUIRE(lines.size() == 1);
    CHECK_MESSAGE(is_like(lines[0], "s.json: " + example.expected[0]), lines[0]);
    const std::string path = example.expected[0];
    const bool says_more = lines[0].find("expected") != std::string::npos ||
                           lines[0].find("did you mean") != std::string::npos ||
                           lines[0].find("write for example") != std::string::npos ||
                           lines[0].find("known keys are") != std::string::npos || path.starts_with("$.algorithm") ||
                           path.starts_with("$.model.layers");
    CHECK_MESSAGE(says_more, lines[0]);
  }
  CHECK(is_like(errors_of("\n<?xml version='1.0'?><platform/>").at(0), "s.json: $: is XML; expected JSON..."));
  CHECK(
      is_like(errors_of("{" + right_parts + ", \"name\": \"\xff\"}").at(0), "s.json: $.name: ...ill-formed UTF-8..."));
  CHECK(errors_of("{" + right_parts + "}").empty());
}

}  // namespace
}  // namespace ddl::scenario

#include "sim/scenario/reading/units.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <regex>

#include "core/base/rng.hpp"
#include "tests/support/examples.hpp"

namespace ddl::scenario {
namespace {

Dimension dimension_called(const std::string& name) {
  if (name == "bandwidth") return Dimension::bandwidth;
  if (name == "time") return Dimension::time;
  return name == "size" ? Dimension::size : Dimension::speed;
}

TEST_CASE(
    "a quantity is its number times its unit, written back in the shortest form, or the line says what to write") {
  for (const Example& example : examples_in("tests/scenario/quantities.txt")) {
    CAPTURE(example.place);
    const std::string expected = example.expected.at(0), text = example.given.substr(0, example.given.rfind(' '));
    const Dimension dimension = dimension_called(example.given.substr(text.size() + 1));
    const Quantity quantity = parse_quantity(text, dimension);
    CHECK((quantity.problem.empty()
               ? fmt::format("{:.12g} {}", quantity.value, write_quantity(quantity.value, dimension))
               : quantity.problem) == expected);
    // A value out of range still has the right form.
    const bool right_form = quantity.problem.empty() || expected.find("out of range") != std::string::npos;
    CHECK(std::regex_match(text, std::regex(pattern_of(dimension))) == right_form);
  }
  CHECK(parse_quantity("", Dimension::time).problem ==
        "\"\" is not a number with a unit; expected a time such as \"20ms\"");
}

TEST_CASE("a bare number is told its unit with the number kept") {
  CHECK(missing_unit(40, Dimension::bandwidth) == "40 has no unit; write for example \"40Mbps\"");
  CHECK(missing_unit(1e7, Dimension::bandwidth) == "10000000 has no unit; write for example \"10000000bps\"");
  CHECK(missing_unit(1.7e7, Dimension::size) == "17000000 has no unit; write for example \"17000000B\"");
  CHECK(missing_unit(0.5, Dimension::time) == "0.5 has no unit; write for example \"0.5s\"");
  CHECK(missing_unit(-3, Dimension::size) == "-3 has no unit; write for example \"17MB\"");
}

TEST_CASE("writing any value and reading it again gives the very same value") {
  Stream random = stream(1, "units", "round trip");
  for (int i = 0; i < 20000; ++i) {
    const double value = std::exp2(100 * random.uniform() - 50) * (1 + random.uniform());
    for (const Dimension dimension : {Dimension::time, Dimension::size, Dimension::bandwidth, Dimension::speed}) {
      const std::string text = write_quantity(value, dimension);
      const Quantity back = parse_quantity(text, dimension);
      REQUIRE_MESSAGE(back.problem == "", text);
      REQUIRE_MESSAGE(back.value == value, text);
    }
  }
}

}  // namespace
}  // namespace ddl::scenario

#include "sim/scenario/reading/units.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <regex>

#include "core/base/rng.hpp"

namespace ddl::scenario {
namespace {

struct Good {
  const char* text;
  Dimension dimension;
  double value;
  const char* written;  // by write_quantity
};

// Values by hand: bits are eighths of bytes, prefixes are powers of 1000 except Ki, Mi, Gi.
constexpr Good kGood[] = {
    {"40Mbps", Dimension::bandwidth, 5e6, "40Mbps"},
    {"5MBps", Dimension::bandwidth, 5e6, "40Mbps"},
    {"100000bps", Dimension::bandwidth, 12500, "100kbps"},
    {"0.1Gbps", Dimension::bandwidth, 12.5e6, "100Mbps"},
    {"1Tbps", Dimension::bandwidth, 1.25e11, "1Tbps"},
    {"1KiBps", Dimension::bandwidth, 1024, "8192bps"},
    {"2MiBps", Dimension::bandwidth, 2097152, "16777216bps"},
    {"1GiBps", Dimension::bandwidth, 1073741824, "8589934592bps"},
    {"1e3kBps", Dimension::bandwidth, 1e6, "8Mbps"},
    {"20ms", Dimension::time, 0.02, "20ms"},
    {"0.34s", Dimension::time, 0.34, "340ms"},
    {"300s", Dimension::time, 300, "300s"},
    {"2min", Dimension::time, 120, "120s"},
    {"1.5h", Dimension::time, 5400, "5400s"},
    {"100us", Dimension::time, 1e-4, "100us"},
    {"7ns", Dimension::time, 7e-9, "7ns"},
    {"0s", Dimension::time, 0, "0s"},
    {".5s", Dimension::time, 0.5, "0.5s"},
    {"17MB", Dimension::size, 17e6, "17MB"},
    {"17053736B", Dimension::size, 17053736, "17053736B"},
    {"4MiB", Dimension::size, 4194304, "4MiB"},
    {"1KiB", Dimension::size, 1024, "1KiB"},
    {"2GiB", Dimension::size, 2147483648.0, "2GiB"},
    {"3TB", Dimension::size, 3e12, "3TB"},
    {"50Gf", Dimension::speed, 5e10, "50Gf"},
    {"1.5Tf", Dimension::speed, 1.5e12, "1.5Tf"},
    {"7f", Dimension::speed, 7, "7f"},
};

TEST_CASE("a quantity is its number times its unit, and is written back in the shortest form") {
  for (const Good& good : kGood) {
    const std::string text = good.text;
    CAPTURE(text);
    const Quantity quantity = parse_quantity(good.text, good.dimension);
    CHECK(quantity.problem == "");
    CHECK(quantity.value == good.value);
    CHECK(write_quantity(good.value, good.dimension) == good.written);
    CHECK(std::regex_match(good.text, std::regex(pattern_of(good.dimension))));
  }
}

struct Bad {
  const char* text;
  Dimension dimension;
  const char* problem;
};

constexpr Bad kBad[] = {
    {"40", Dimension::bandwidth, "\"40\" has no unit; write for example \"40Mbps\""},
    {"20ms", Dimension::bandwidth, "\"20ms\" is a time; expected a bandwidth such as \"40Mbps\""},
    {"17MB", Dimension::bandwidth, "\"17MB\" is a size; expected a bandwidth such as \"40Mbps\""},
    {"40Mbps", Dimension::time, "\"40Mbps\" is a bandwidth; expected a time such as \"20ms\""},
    {"5Gf", Dimension::size, "\"5Gf\" is a speed; expected a size such as \"17MB\""},
    {"40mbps", Dimension::bandwidth, "\"40mbps\" has the unknown unit \"mbps\"; did you mean \"Mbps\"?"},
    {"40 Mbps", Dimension::bandwidth, "\"40 Mbps\" has a blank in it; expected a bandwidth such as \"40Mbps\""},
    {"3weeks", Dimension::time, "\"3weeks\" has the unknown unit \"weeks\"; expected a time such as \"20ms\""},
    {"", Dimension::time, "\"\" is not a number with a unit; expected a time such as \"20ms\""},
    {"fast", Dimension::speed, "\"fast\" is not a number with a unit; expected a speed such as \"50Gf\""},
    {"nans", Dimension::time, "\"nans\" is not a number with a unit; expected a time such as \"20ms\""},
    {"infs", Dimension::time, "\"infs\" is not a number with a unit; expected a time such as \"20ms\""},
    {"-nans", Dimension::time, "\"-nans\" is not a number with a unit; expected a time such as \"20ms\""},
    {".s", Dimension::time, "\".s\" is not a number with a unit; expected a time such as \"20ms\""},
    {"+1s", Dimension::time, "\"+1s\" is not a number with a unit; expected a time such as \"20ms\""},
    {"1e999s", Dimension::time, "\"1e999s\" is out of range; expected a time such as \"20ms\""},
    {"1e300TB", Dimension::size, "\"1e300TB\" is out of range; expected a size such as \"17MB\""},
    {"0x10B", Dimension::size, "\"0x10B\" has the unknown unit \"x10B\"; expected a size such as \"17MB\""},
};

TEST_CASE("what is no quantity of the wanted kind is refused, and the line says what to write") {
  for (const Bad& bad : kBad) {
    const std::string text = bad.text;
    CAPTURE(text);
    CHECK(parse_quantity(bad.text, bad.dimension).problem == bad.problem);
    if (std::string(bad.problem).find("out of range") != std::string::npos) continue;  // of the right form
    CHECK_FALSE(std::regex_match(bad.text, std::regex(pattern_of(bad.dimension))));
  }
}

TEST_CASE("a bare number is told its unit with the number kept") {
  CHECK(missing_unit(40, Dimension::bandwidth) == "40 has no unit; write for example \"40Mbps\"");
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

#include "sim/results/writing/readable.hpp"

#include <doctest/doctest.h>

namespace ddl::results {

TEST_CASE("seconds are read in the unit that fits") {
  CHECK(readable_seconds(0) == "0 s");
  CHECK(readable_seconds(0.00025) == "250 us");
  CHECK(readable_seconds(0.34) == "340 ms");
  CHECK(readable_seconds(0.99999) == "1 s");
  CHECK(readable_seconds(12.345) == "12.3 s");
  CHECK(readable_seconds(119) == "119 s");
  CHECK(readable_seconds(315) == "5.25 min");
  CHECK(readable_seconds(27000) == "7.5 h");
  CHECK(readable_seconds(3600.0 * 1234) == "1234 h");
}

TEST_CASE("bytes are read in powers of a thousand") {
  CHECK(readable_bytes(0) == "0 B");
  CHECK(readable_bytes(512) == "512 B");
  CHECK(readable_bytes(17e6) == "17 MB");
  CHECK(readable_bytes(999.7e6) == "1 GB");
  CHECK(readable_bytes(1.2345e9) == "1.23 GB");
}

TEST_CASE("shares are percentages, with a decimal where they are small") {
  CHECK(readable_share(0) == "0 %");
  CHECK(readable_share(0.004) == "0.4 %");
  CHECK(readable_share(0.873) == "87 %");
  CHECK(readable_share(1) == "100 %");
}

TEST_CASE("counts have their thousands apart") {
  CHECK(readable_count(0) == "0");
  CHECK(readable_count(999) == "999");
  CHECK(readable_count(1518) == "1,518");
  CHECK(readable_count(1234567) == "1,234,567");
  CHECK(readable_count(-123456) == "-123,456");
}

}  // namespace ddl::results

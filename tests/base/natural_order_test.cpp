#include "core/base/natural_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using ddl::natural_less;

TEST_CASE("names sort as people count") {
  std::vector<std::string> names = {"w10", "w2",        "node-1-12", "w",  "node-1-3", "w02",
                                    "w1",  "node-10-1", "a",         "10", "9"};
  std::ranges::sort(names, natural_less);
  CHECK(names ==
        std::vector<std::string>{"9", "10", "a", "node-1-3", "node-1-12", "node-10-1", "w", "w1", "w02", "w2", "w10"});
}

TEST_CASE("natural order takes numbers of any length and never calls two names equal") {
  CHECK(natural_less("w99999999999999999999", "w100000000000000000000"));
  CHECK(natural_less("w01", "w1"));
  CHECK_FALSE(natural_less("w1", "w01"));
  CHECK_FALSE(natural_less("w1", "w1"));
  CHECK(natural_less("w01x", "w1y"));
  CHECK(natural_less("w1x", "w01y"));
}

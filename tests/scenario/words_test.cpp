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

}  // namespace
}  // namespace ddl::scenario

// The first of many random scenarios; `soak 1 500` runs more (label soak).
#include "tests/soak/soak.hpp"

#include <doctest/doctest.h>

#include "sim/scenario/reading/read.hpp"
#include "tests/soak/random_scenario.hpp"

namespace ddl {
namespace {

TEST_CASE("twenty random scenarios end the same way twice, with any threads") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const SoakOutcome outcome = soak(seed, 120);
    CAPTURE(outcome.scenario);
    CHECK(outcome.problem == "");
  }
}

TEST_CASE("a seed draws one scenario and other seeds draw others") {
  CHECK(random_scenario(7) == random_scenario(7));
  CHECK(random_scenario(7) != random_scenario(8));
}

}  // namespace
}  // namespace ddl

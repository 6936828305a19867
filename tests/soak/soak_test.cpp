// The first of many random scenarios; `soak 1 500` runs more (label soak).
#include "tests/soak/soak.hpp"

#include <doctest/doctest.h>

#include <map>

#include "core/systems/table.hpp"
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

// A test of its own with the label long: some scenarios take minutes.
TEST_CASE("no system beats its lower bound in random scenarios, both ways of sharing links" * doctest::skip()) {
  std::map<std::string, int> judged;
  for (std::uint64_t seed = 1; seed <= 8 * systems::built_in().size(); ++seed) {
    const BoundOutcome outcome = soak_bound(seed, 120);
    CAPTURE(outcome.scenario);
    CHECK(outcome.problem == "");
    judged[outcome.algorithm] += outcome.judged;
  }
  for (const auto& system : systems::built_in()) {
    CAPTURE(system->facts().name);
    CHECK(judged[system->facts().name] >= 1);
  }
}

TEST_CASE("a seed draws one scenario and other seeds draw others") {
  CHECK(random_scenario(7) == random_scenario(7));
  CHECK(random_scenario(7) != random_scenario(8));
}

}  // namespace
}  // namespace ddl

// The first of many random scenarios; `soak 1 500` runs more (label soak).
#include "tests/soak/soak.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

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

// True if `wanted` of the first 200 scenarios of a system have the property; all systems if none is named.
template <class Holds>
bool are_drawn(int wanted, const char* system, Holds holds) {
  const Registry systems = systems::built_in();
  int seeds = 200;
  for (std::uint64_t seed = 1; seeds > 0 && wanted > 0; ++seed) {
    if (system != nullptr && std::string_view(systems[seed % systems.size()].facts().name) != system) continue;
    --seeds;
    wanted -= holds(nlohmann::json::parse(random_scenario(seed)));
  }
  return wanted <= 0;
}

nlohmann::json list_of(const nlohmann::json& object, const char* key) {
  return object.value(key, nlohmann::json::array());
}

TEST_CASE("rare settings are drawn together") {
  const auto clips = [](const nlohmann::json& scenario) {
    return scenario["training"]["optimizer"].contains("clip_norm");
  };
  const auto has_codec = [](const nlohmann::json& scenario) {
    return scenario["algorithm"]["codec"]["type"] != "none";
  };
  for (const char* system : {"ring_allreduce", "diloco", "ps_ssp"}) {
    CAPTURE(system);
    CHECK(are_drawn(1, system, [&](const nlohmann::json& scenario) {
      return scenario["algorithm"].value("overlap", "") == "layers" && clips(scenario) && has_codec(scenario);
    }));
    CHECK(are_drawn(1, system, [&](const nlohmann::json& scenario) {
      return scenario["algorithm"].value("overlap", "") == "layers" && scenario["model"] == "none";
    }));
  }
  CHECK(are_drawn(1, "hierarchical_allreduce", [&](const nlohmann::json& scenario) {
    return scenario["platform"].contains("sites") && has_codec(scenario);
  }));
  CHECK(are_drawn(5, nullptr, [](const nlohmann::json& scenario) {
    return std::ranges::any_of(list_of(scenario, "faults"),
                               [](const auto& fault) { return fault["type"] == "availability"; });
  }));
  const auto has_site_fault = [](const nlohmann::json& scenario) {
    return std::ranges::any_of(list_of(scenario, "faults"), [](const auto& fault) { return fault.contains("site"); });
  };
  CHECK(are_drawn(2, nullptr, has_site_fault));
  CHECK(are_drawn(1, "diloco", [](const nlohmann::json& scenario) {
    return !list_of(scenario, "faults").empty() && scenario["algorithm"]["collective"] == "butterfly";
  }));
  CHECK(are_drawn(1, nullptr, [](const nlohmann::json& scenario) {
    return std::ranges::any_of(list_of(scenario["platform"], "profiles"), [](const auto& profile) {
      if (profile["quantity"] != "bandwidth" || profile["points"].empty()) return false;
      return std::stod(profile["points"][0]["value"].template get<std::string>()) < 10;
    });
  }));
}

TEST_CASE("a seed draws one scenario and other seeds draw others") {
  CHECK(random_scenario(7) == random_scenario(7));
  CHECK(random_scenario(7) != random_scenario(8));
}

}  // namespace
}  // namespace ddl

// Systems that are not built in.
#include "core/node/registry.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/base/check.hpp"
#include "core/systems/single.hpp"
#include "core/systems/table.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::registry_test {
namespace {

struct LazyParams : SystemOf<LazyParams> {
  static constexpr SystemFacts facts{.name = "lazy", .what = "every worker rests", .paper = "none"};
  int pauses = 1;

  void worker(Node&) const override {}
  Traffic traffic(const Cluster&) const override { return {}; }
};
template <class Visitor>
void fields(Visitor& visit, LazyParams& params) {
  visit("pauses", params.pauses, Rule{.doc = "how often a worker rests", .at_least = 0});
}

Registry two_systems() {
  Registry systems;
  systems.add<systems::AloneParams, LazyParams>();
  return systems;
}

std::string text_of(const std::string& algorithm) {
  return R"({"platform": {"workers": 2, "bandwidth": "1Mbps"}, "stop": {"iterations": 1}, "algorithm": )" + algorithm +
         "}";
}

}  // namespace

TEST_CASE("a scenario chooses among the systems that its reader is given, and no others") {
  const scenario::Scenario read =
      scenario::parse_scenario(two_systems(), text_of(R"({"name": "lazy", "pauses": 3})"), "s.json");
  REQUIRE(read.algorithm.get_if<LazyParams>() != nullptr);
  CHECK(read.algorithm.get_if<LazyParams>()->pauses == 3);
  CHECK(read.algorithm.get_if<systems::AloneParams>() == nullptr);
  const std::string described = scenario::describe(read);
  CHECK(scenario::describe(scenario::parse_scenario(two_systems(), described, "s.json")) == described);

  CHECK_THROWS_WITH_AS(scenario::parse_scenario(two_systems(), text_of("\"gossip\""), "s.json"),
                       doctest::Contains("lazy"), scenario::ScenarioErrors);
  CHECK_THROWS_AS(scenario::parse_scenario(systems::built_in(), text_of("\"lazy\""), "s.json"),
                  scenario::ScenarioErrors);

  const std::string schema = scenario::scenario_schema(two_systems());
  CHECK(schema.find("how often a worker rests") != std::string::npos);
  CHECK(schema.find("\"gossip\"") == std::string::npos);
  CHECK(scenario::keys_at(schema, "algorithm.lazy").front().keys.size() == 2);  // its name, and the one above
}

TEST_CASE("two systems of one name are refused") {
  Registry systems = systems::built_in();
  const std::size_t before = systems.size();
  CHECK_THROWS_WITH_AS(systems.add<systems::AloneParams>(),
                       "two training systems are called \"alone\"; expected another name", InputError);
  CHECK(systems.size() == before);
  systems.add<LazyParams>();
  CHECK(systems.size() == before + 1);
  CHECK(std::string(systems[before].facts().name) == "lazy");
}

TEST_CASE("a choice that code has made is among no others") {
  systems::SystemChoice choice = LazyParams();
  CHECK(choice.among().size() == 1);
  choice.choose(0);
  CHECK_THROWS_AS(choice.choose(1), InternalError);
  CHECK(choice.get_if<LazyParams>() != nullptr);
  systems::SystemChoice first{two_systems()};
  CHECK(first.get_if<systems::AloneParams>() != nullptr);
  first.choose(1);
  CHECK(first.get_if<LazyParams>() != nullptr);
}

TEST_CASE("a system's name with other settings is a scenario's algorithm") {
  int presets = 0;
  for (const auto& system : systems::built_in()) {
    for (const Preset& preset : system->facts().presets) {
      CAPTURE(preset.name);
      const std::string settings = std::string(preset.settings).substr(1);
      const std::string text = text_of(R"({"name": ")" + std::string(system->facts().name) + "\", " + settings);
      CHECK(std::string(scenario::parse_scenario(systems::built_in(), text, "preset.json").algorithm->facts().name) ==
            system->facts().name);
      ++presets;
    }
  }
  CHECK(presets > 0);
}

TEST_CASE("every value that tuning tries is a setting of its system, and lists that go in step have as many values") {
  int values = 0;
  for (const auto& system : systems::built_in()) {
    for (const char* tuned : system->facts().tuned) {
      CAPTURE(tuned);
      const auto lists = nlohmann::ordered_json::parse(tuned);
      const std::size_t count = lists.front().size();
      for (std::size_t i = 0; i < count; ++i) {
        nlohmann::ordered_json algorithm = {{"name", system->facts().name}};
        for (const auto& [key, list] : lists.items()) {
          CHECK(list.size() == count);
          algorithm[key] = list.at(i);
        }
        const std::string text = R"({"platform": {"topology": "two_sites", "workers": 4, "servers": 1, "latency": "1ms",
                                      "bandwidth": "1Gbps", "site_bandwidth": "100Mbps", "site_latency": "60ms"},
                                     "stop": {"iterations": 1}, "algorithm": )" +
                                 algorithm.dump() + "}";
        CHECK_NOTHROW(scenario::parse_scenario(systems::built_in(), text, "tuned.json"));
        ++values;
      }
    }
  }
  CHECK(values > 0);
}

}  // namespace ddl::registry_test

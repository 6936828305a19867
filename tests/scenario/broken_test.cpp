#include <doctest/doctest.h>

#include <map>
#include <set>

#include "core/systems/table.hpp"
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

TEST_CASE("a key of a system that is gone gives one line with the key to use instead") {
  struct Keys final : FieldVisitor {
    void visit(const char* key, const FieldValue&, const Rule&) override { known.insert(key); }
    void former(const char* key, const char* instead, const std::vector<std::string>&) override {
      former_keys[key] = instead;
    }
    std::set<std::string> known;
    std::map<std::string, std::string> former_keys;
  };
  int checked = 0;
  for (const auto& system : systems::built_in()) {
    Keys keys;
    system->clone()->visit_fields(keys);
    for (const auto& [key, instead] : keys.former_keys) {
      CAPTURE(key);
      CHECK_FALSE(keys.known.contains(key));
      // The first name is a key here, or in its place.
      const std::size_t from = instead.find('"') + 1;
      const std::string named = instead.substr(from, instead.find('"', from) - from);
      CHECK((keys.known.contains(named) || errors_of("{" + right_parts + ", \"" + named + "\": []}").empty()));
      const std::string name = system->facts().name;
      const auto lines = errors_of("{" + right_platform + ", \"algorithm\": {\"name\": \"" + name + "\", \"" + key +
                                   "\": 1}, " + right_stop + "}");
      REQUIRE(lines.size() == 1);
      CHECK(lines[0] == "s.json: $.algorithm." + key + ": is no longer a key; expected " + instead);
      ++checked;
    }
  }
  CHECK(checked >= 5);
}

TEST_CASE("a network key that is gone is passed over where it says what the model does, and refused elsewhere") {
  const auto with = [](const std::string& network) {
    return "{\"platform\": {\"workers\": 4, \"bandwidth\": \"40Mbps\", \"network\": {" + network + "}}, " +
           right_algorithm + ", " + right_stop + "}";
  };
  for (const char* idle :
       {R"("model": "TCP", "sharing": "tcp")", R"("model": "TCP", "sharing": "auto")", R"("sharing": "auto")",
        R"("model": "CM02", "sharing": "fair")", R"("model": "CM02", "crosstraffic": false)",
        R"("model": "packets", "crosstraffic": true)", R"("crosstraffic": true)", R"("solver": "auto")"}) {
    CAPTURE(idle);
    const Scenario scenario = parse_scenario(systems::built_in(), with(idle), "s.json");
    REQUIRE(scenario.notes.size() == 1);
    CHECK(scenario.notes[0].starts_with("s.json: $.platform.network."));
    CHECK(scenario.notes[0].ends_with(": is no longer a key; what it says holds anyway, so delete it"));
    for (const char* key : {"sharing", "crosstraffic", "solver"}) {
      CHECK(describe(scenario).find(key) == std::string::npos);
    }
  }
  for (const auto& [key, network] :
       std::vector<std::pair<std::string, std::string>>{{"sharing", R"("model": "TCP", "sharing": "fair")"},
                                                        {"sharing", R"("sharing": "tcp")"},
                                                        {"sharing", R"("model": "CM02", "sharing": "tcp")"},
                                                        {"sharing", R"("model": "packets", "sharing": "fair")"},
                                                        {"crosstraffic", R"("model": "CM02", "crosstraffic": true)"},
                                                        {"crosstraffic", R"("crosstraffic": false)"},
                                                        {"solver", R"("solver": "accelerator")"},
                                                        {"solver", R"("model": "CM02", "solver": "simgrid")"}}) {
    CAPTURE(network);
    const std::vector<std::string> lines = errors_of(with(network));
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].starts_with("s.json: $.platform.network." + key + ": is no longer a key; expected \"model\""));
  }
  CHECK(errors_of(with(R"("model": "LV08")"))[0].find(R"("LV08" is unknown; expected one of)") != std::string::npos);
}

}  // namespace
}  // namespace ddl::scenario

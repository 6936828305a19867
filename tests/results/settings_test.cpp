// The settings listed in a result identify it: a key of other effect changes them, its default does not, and equal
// settings are the same run. Tested for every system, over all keys of the schema.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/systems/table.hpp"
#include "sim/process/child.hpp"
#include "sim/process/failures.hpp"
#include "sim/results/writing/result_files.hpp"
#include "sim/run/forecast.hpp"
#include "sim/scenario/reading/read.hpp"
#include "tests/support/keeps.hpp"
#include "tests/support/run.hpp"

namespace ddl::settings_test {
namespace {

using Json = nlohmann::ordered_json;
using Changes = std::vector<scenario::Override>;

// A system's own scenario, small: with a server for each that needs one.
std::string text_for(const System& system) {
  Json scenario = Json::parse(laws::scenario_for(system));
  scenario["platform"]["workers"] = 3;  // a layer of the model for each stage
  scenario["platform"]["servers"] = 1;
  scenario["data"] = {{"train", 200}, {"test", 50}};
  scenario["stop"] = {{"iterations", 6}};
  scenario["evaluate"] = {{"every_iterations", 3}};
  return scenario.dump();
}

std::optional<scenario::Scenario> read(const std::string& text, const Changes& changes = {}) {
  try {
    return scenario::parse_scenario(systems::built_in(), text, "settings.json", changes);
  } catch (const scenario::ScenarioErrors&) {
    return std::nullopt;
  }
}

// Nothing if the scenario does not fit its platform.
std::optional<std::string> effective_settings(const scenario::Scenario& scenario) {
  try {
    return process::in_child([&] { return scenario::settings_of(run::effective_here(scenario)); });
  } catch (const InputError&) {
    return std::nullopt;
  }
}

struct Ran {
  std::string settings, outcome;
};
std::optional<Ran> ran(const scenario::Scenario& scenario) {
  try {
    const run::RunResult result = run::run(scenario, {.threads = 1});
    return Ran{result.settings, fmt::format("{} after {} s", results::digest_of(result), result.simulated_s)};
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const process::RunFailed&) {
    return std::nullopt;
  }
}

// Values that a schema takes, as JSON: every word, and one or two of numbers and quantities.
void collect(const Json& schema, std::set<std::string>& values) {
  if (schema.contains("const")) values.insert(schema["const"].dump());
  if (schema.contains("enum")) {
    for (const auto& word : schema["enum"]) values.insert(word.dump());
  }
  for (const auto& form : schema.value("oneOf", Json::array())) collect(form, values);
  const Json types = schema.value("type", Json(""));
  const std::string type = types.is_array() ? "" : types;  // several: a quantity, which has examples, or 0
  if (type == "boolean") values.insert({"true", "false"});
  if (type == "integer") values.insert({"1", "3"});
  if (type == "number") values.insert("0.25");
  if (schema.contains("examples")) {
    const std::string example = schema["examples"][0];
    values.insert(Json("9" + example.substr(example.find_first_not_of("0123456789."))).dump());
  }
}

// Every key below `schema`, with values for it; for one of several objects, the objects' words and keys.
void collect(const Json& schema, const std::string& path, std::map<std::string, std::set<std::string>>& keys) {
  for (const auto& form : schema.value("oneOf", Json::array())) collect(form, path, keys);
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [key, value] : properties.items()) {
    const std::string here = path.empty() ? key : path + "." + key;
    collect(value, keys[here]);
    collect(value, here, keys);
  }
}

std::map<std::string, std::set<std::string>> all_keys() {
  std::map<std::string, std::set<std::string>> keys;
  collect(Json::parse(scenario::scenario_schema(systems::built_in())), "", keys);
  return keys;
}

bool is_of_system(const std::string& path) { return path.starts_with("algorithm.") && path != "algorithm.name"; }

// The keys of a scenario with all defaults, with their values.
void flatten(const Json& json, const std::string& path, Changes& keys) {
  for (const auto& [key, value] : json.items()) {
    const std::string here = path.empty() ? key : path + "." + key;
    if (value.is_object()) {
      flatten(value, here, keys);
    } else {
      keys.push_back({here, value.dump()});
    }
  }
}

// Outcomes by settings: each settings have one.
class Outcomes {
 public:
  void add(const std::string& what, const Ran& run) {
    const auto [known, fresh] = by_settings_.try_emplace(run.settings, run.outcome, what);
    INFO(what, " has the settings of ", known->second.second);
    CHECK(run.outcome == known->second.first);
    outcomes_.insert(run.outcome);
  }
  std::size_t count() const { return outcomes_.size(); }

 private:
  std::map<std::string, std::pair<std::string, std::string>> by_settings_;
  std::set<std::string> outcomes_;
};

void check_each_key_tells(const System& system, bool of_system) {
  const std::string name = system.facts().name, text = text_for(system);
  Outcomes outcomes;
  const auto own = read(text);
  REQUIRE(own);
  const auto as_it_is = ran(*own);
  REQUIRE(as_it_is);
  outcomes.add(name, *as_it_is);
  for (const auto& [path, values] : all_keys()) {
    if (is_of_system(path) != of_system || path == "algorithm.name" || path == "seed") continue;
    for (const std::string& value : values) {
      if (path == "model" && value != "\"softmax\"" && value != "\"none\"") continue;  // others take long
      const auto changed = read(text, {{path, value}});
      if (!changed || changed->algorithm->facts().name != name) continue;
      if (const auto run = ran(*changed)) outcomes.add(name + " " + path + "=" + value, *run);
    }
  }
  if (!of_system) CHECK(outcomes.count() > 10);
}

}  // namespace

TEST_CASE("settings: equal ones are the same run, whatever key of a system is changed") {
  for (const auto& system : systems::built_in()) check_each_key_tells(*system, true);
}

TEST_CASE("settings: equal ones are the same run, whatever other key is changed") {
  for (const auto& system : systems::built_in()) {
    const std::string name = system->facts().name;
    if (name == "ps_async" || name == "gossip" || name == "local_sgd") check_each_key_tells(*system, false);
  }
}

TEST_CASE("settings: what took effect says all of it: read again it is the same run") {
  for (const auto& system : systems::built_in()) {
    const auto scenario = read(text_for(*system));
    REQUIRE(scenario);
    const std::string name = system->facts().name, described = run::described(*scenario);
    CAPTURE(name);
    const auto again = read(described);
    CAPTURE(described);
    REQUIRE(again);
    const auto first = ran(*scenario), second = ran(*again);
    REQUIRE(first);
    REQUIRE(second);
    CHECK(first->settings == second->settings);
    CHECK(first->outcome == second->outcome);
  }
}

TEST_CASE("settings: a key that is set to its default changes nothing") {
  for (const auto& system : systems::built_in()) {
    const std::string name = system->facts().name, text = text_for(*system);
    const auto scenario = read(text);
    REQUIRE(scenario);
    const auto settings = effective_settings(*scenario);
    REQUIRE(settings);
    Changes defaults;
    flatten(Json::parse(run::described(*scenario)), "", defaults);
    const auto type_beside = [&](const std::string& path) {
      return std::ranges::find(defaults, path.substr(0, path.rfind('.')) + ".type", &scenario::Override::path);
    };
    for (const scenario::Override& key : defaults) {
      if (!is_of_system(key.path) && name != "ps_async" && name != "diloco") continue;
      CAPTURE(name);
      CAPTURE(key.path);
      CAPTURE(key.value);
      Changes changes = {key};  // an object of several forms says its form, too
      if (const auto type = type_beside(key.path); type != defaults.end()) changes.insert(changes.begin(), *type);
      const auto changed = read(text, changes);
      REQUIRE(changed);
      CHECK(effective_settings(*changed) == settings);
    }
  }
}

}  // namespace ddl::settings_test

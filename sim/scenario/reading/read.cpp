#include "sim/scenario/reading/read.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/check.hpp"
#include "sim/scenario/checks/checks.hpp"
#include "sim/scenario/files/read_edges.hpp"
#include "sim/scenario/files/read_presence.hpp"
#include "sim/scenario/files/read_profiles.hpp"
#include "sim/scenario/files/text_file.hpp"
#include "sim/scenario/plugins.hpp"
#include "sim/scenario/reading/json_text.hpp"
#include "sim/scenario/reading/overrides.hpp"
#include "sim/scenario/reading/reader.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::scenario {
namespace {

constexpr std::size_t kMostBytes = 4 << 20;

// A run uses the text as it is now, whatever becomes of the file. One that cannot be read is told of when the platform
// is built.
void read_platform_file(Scenario& scenario) {
  auto* hosts = std::get_if<FilePlatform>(&scenario.platform.hosts);
  if (hosts == nullptr) return;
  try {
    hosts->text = std::make_shared<const std::string>(text_of_file(resolve_path(scenario, hosts->file), platform_file));
  } catch (const InputError&) {
  }
}

// With those of the libraries that the scenario names. What is no list of paths, the reader says.
Registry with_libraries(Registry systems, const nlohmann::ordered_json& json, const std::string& file,
                        Findings& findings) {
  const auto load = json.find("load");
  if (load == json.end() || !load->is_array() || load->empty()) return systems;
  if (!systems.opens_libraries()) {
    findings.add("$.load", "names libraries, which only a run opens; expected --trust");
    return systems;
  }
  Scenario here;
  here.file = file;
  for (std::size_t i = 0; i < load->size(); ++i) {
    if (!(*load)[i].is_string()) continue;
    try {
      open_plugin(systems, resolve_path(here, (*load)[i].get<std::string>()));
    } catch (const InputError& error) {
      findings.add("$.load[" + std::to_string(i) + "]", error.what());
    }
  }
  return systems;
}

// Sorts a block before its keys, which it would replace otherwise.
std::vector<Override> wholes_first(std::vector<Override> overrides) {
  std::ranges::stable_sort(overrides, {}, [](const Override& change) { return std::ranges::count(change.path, '.'); });
  return overrides;
}

}  // namespace

ScenarioErrors::ScenarioErrors(std::vector<std::string> lines_)
    : std::runtime_error(std::accumulate(
          lines_.begin(), lines_.end(), std::string(),
          [](const std::string& all, const std::string& line) { return all.empty() ? line : all + "\n" + line; })),
      lines(std::move(lines_)) {}

std::string scenario_text(const std::string& file, const char* what) {
  try {
    return text_of_file(file, {what, kMostBytes, true});
  } catch (const InputError& error) {
    throw ScenarioErrors({on_one_line(file + ": " + error.what())});
  }
}

Scenario parse_scenario(const Registry& systems, const std::string& text, const std::string& file,
                        const std::vector<Override>& overrides) {
  Findings findings(file);
  nlohmann::ordered_json json;
  if (!parse_json(text, findings, json)) throw ScenarioErrors(findings.lines());
  for (const Override& change : wholes_first(overrides)) apply_override(change, json, findings);

  if (!json.is_object()) {
    findings.add("$", shown(json) + " is not an object; expected a scenario in braces");
    throw ScenarioErrors(findings.lines());
  }

  if (json.contains("base") && !json.contains("platform") && !json.contains("algorithm")) {
    findings.add("$.base", "is a sweep's; expected a scenario; ddlsim sweep runs sweeps");
    throw ScenarioErrors(findings.lines());
  }

  if (json.contains("scenario") && json.contains("digest")) {
    findings.add("$.scenario", "is a result's; expected a scenario; ddlsim run --verify-digest makes a result again");
    throw ScenarioErrors(findings.lines());
  }

  read_edge_files(json, file, findings);
  Scenario scenario;
  scenario.algorithm = systems::SystemChoice(with_libraries(systems, json, file, findings));
  if (!findings.clean("$.load")) throw ScenarioErrors(findings.lines());  // the system may be in what does not open
  scenario.file = file;
  read_json(json, scenario, findings);
  fill_defaults(scenario, file);
  read_profile_files(scenario, findings);
  read_presence_files(scenario, findings);
  read_matrix(scenario, findings);
  read_platform_file(scenario);
  check_scenario(scenario, findings);
  if (!findings.empty()) throw ScenarioErrors(findings.lines());
  scenario.notes = findings.notes();
  return scenario;
}

Scenario read_scenario(const Registry& systems, const std::string& file, const std::vector<Override>& overrides) {
  return parse_scenario(systems, scenario_text(file), file, overrides);
}

}  // namespace ddl::scenario

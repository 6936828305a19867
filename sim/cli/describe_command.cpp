#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/notes.hpp"
#include "sim/cli/terminal.hpp"
#include "sim/jobs/sweep/plan.hpp"
#include "sim/jobs/sweep/sweep.hpp"
#include "sim/results/text/layout.hpp"
#include "sim/results/writing/result_files.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/run/run.hpp"
#include "sim/scenario/reading/json_text.hpp"

namespace ddl::cli {
namespace {

// The plan, and the scenario of each of its points.
std::string described_sweep(const jobs::Sweep& sweep, const jobs::SweepPlan& plan) {
  using Json = nlohmann::ordered_json;
  Json json = Json::parse(plan.text);
  json["folder"] = std::filesystem::path(sweep.base_file).parent_path().string();  // relative paths start there
  if (sweep.tune) {
    json["tune"] = {{"over", Json::object()}, {"target", nullptr}, {"seeds", sweep.tune->seeds}};
    for (const auto& [path, values] : sweep.tune->over) {
      Json& list = json["tune"]["over"][path] = Json::array();
      for (const AsWritten& value : values) list.push_back(Json::parse(value.text));
    }
    if (sweep.tune->target) json["tune"]["target"] = *sweep.tune->target;
  }
  for (const jobs::SweepPoint& point : plan.points) {
    json["scenarios"][point.name] = Json::parse(run::described(point.scenario));
  }
  return scenario::layout(json);
}

// The line of `list algorithms` for the path of a system; "" for any other.
std::string system_text(const Registry& systems, const std::string& path) {
  for (const auto& system : systems) {
    const SystemFacts& row = system->facts();
    if (path == std::string("algorithm.") + row.name) return fmt::format("{} [{}]", row.what, row.paper);
  }
  return "";
}

std::string key_text(const std::string& path, const scenario::KeyRow& row, std::size_t width) {
  std::string value = row.value;
  if (row.required) value += "; required";
  if (!row.by_default.empty()) value += "; default " + row.by_default;
  std::string text = "  " + row.key + "\n" + results::hanging("      ", value, width);
  if (!row.meaning.empty()) text += results::hanging("      ", row.meaning, width);
  if (row.has_keys) text += results::hanging("      ", "its keys: ddlsim describe " + path + "." + row.key, width);
  return text;
}

// Keys of scenarios; of sweeps below "sweep", and by themselves where no scenario has them.
std::string schema_of_keys(const Registry& systems) {
  auto schema = nlohmann::ordered_json::parse(scenario::scenario_schema(systems));
  const auto sweep = nlohmann::ordered_json::parse(jobs::sweep_schema());
  schema["properties"]["sweep"] = sweep;
  schema["properties"].insert(sweep["properties"].begin(), sweep["properties"].end());
  return schema.dump();
}

std::string keys_text(const Registry& systems, const std::string& path, std::size_t width) {
  const std::vector<scenario::KeyTable> tables = scenario::keys_at(schema_of_keys(systems), path);
  std::string text;
  for (const scenario::KeyTable& table : tables) {
    text += (text.empty() || table.keys.empty() ? "" : "\n") + table.path + "\n";
    if (const std::string what = system_text(systems, table.path); !what.empty()) {
      text += results::hanging("  ", what, width);
    }
    // A path that leads to a key ends with it.
    const bool is_key = table.keys.size() == 1 && table.path.ends_with("." + table.keys[0].key);
    const std::string parent = is_key ? table.path.substr(0, table.path.rfind('.')) : table.path;
    for (const scenario::KeyRow& row : table.keys) text += key_text(parent, row, width);
  }
  if (tables.front().keys.empty()) text += "\nkeys of one of them: ddlsim describe " + tables.front().path + "\n";
  return text;
}

std::string relative_to(const std::filesystem::path& folder, const std::string& path) {
  const std::string found =
      std::filesystem::proximate(std::filesystem::weakly_canonical(path), std::filesystem::weakly_canonical(folder))
          .string();
  return found.empty() ? path : found;
}

// Throws InputError.
void write_scenario(scenario::Scenario scenario, const std::string& file) {
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  scenario.expect.clear();  // of the settings as they were
  if (auto* hosts = std::get_if<scenario::FilePlatform>(&scenario.platform.hosts)) {
    hosts->file = relative_to(folder, scenario::resolve_path(scenario, hosts->file));
  }
  for (std::string* path : scenario::content_paths(scenario)) {
    *path = relative_to(folder, scenario::resolve_path(scenario, *path));
  }
  if (scenario.program) scenario.program->folder = relative_to(folder, scenario::program_folder(scenario));
  results::write_whole(file, scenario::describe(scenario) + "\n");
}

// The columns or keys of a file of results.
std::string file_text(const results::FileDictionary& file, std::size_t width) {
  std::string text = file.file + "\n";
  for (const results::ColumnEntry& entry : file.entries) {
    text += "  " + entry.name + (entry.unit.empty() ? "" : " [" + entry.unit + "]") + "\n" +
            results::hanging("      ", entry.meaning, width);
  }
  return text;
}

// True for text that nobody would name a file.
bool looks_like_keys(const std::string& text) {
  std::error_code unreadable;
  return !std::filesystem::exists(text, unreadable) && !text.ends_with(".json") &&
         std::ranges::all_of(
             text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; });
}

}  // namespace

void describe(const Registry& systems, const std::string& what, const std::vector<scenario::Override>& overrides,
              run::Programs programs, const std::string& output) {
  Registry known = systems;
  known.open_libraries(programs == run::Programs::are_asked);
  for (const results::FileDictionary& file : results::result_dictionary()) {
    if (what != file.file) continue;  // even where it lies here: it is no scenario
    std::cout << file_text(file, Terminal(STDOUT_FILENO).columns());
    return;
  }
  if (looks_like_keys(what)) {
    std::cout << keys_text(known, what, Terminal(STDOUT_FILENO).columns());
    return;
  }
  const std::string text = scenario::scenario_text(what);
  if (kind_of(text) == FileKind::sweep) {
    if (!output.empty()) throw InputError("describe: --output: is for a scenario, and " + what + " is a sweep");
    const jobs::Sweep sweep = jobs::parse_sweep(text, what, overrides);
    std::cout << described_sweep(sweep, jobs::plan_sweep(known, sweep));
  } else {
    const scenario::Scenario scenario = scenario::parse_scenario(known, text, what, overrides);
    if (!output.empty()) return write_scenario(scenario, output);
    NotePrinter().print(scenario);
    std::cout << run::described(scenario);
    std::cerr << consensus_text(scenario, Terminal(STDERR_FILENO).columns(),
                                programs);  // beside what may be read as JSON
  }
}

}  // namespace ddl::cli

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/results/identity/earlier_run.hpp"
#include "sim/results/reading/first_difference.hpp"
#include "sim/results/writing/result_files.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/run/run.hpp"
#include "sim/scenario/reading/overrides.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {
namespace fs = std::filesystem;
namespace {

// Where the scenario of a result lay, seen from there; nothing if the result does not say.
std::optional<fs::path> recorded_folder(const fs::path& result) {
  std::ifstream stream(result / "timing.json");
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.contains("scenario_folder") || !json["scenario_folder"].is_string()) return {};
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(result, ignored), ignored) / json["scenario_folder"].get<std::string>();
}

// The data of --set data.path, which starts in the current folder.
std::vector<scenario::Override> given_paths(const RunSettings& settings) {
  std::vector<scenario::Override> where;
  for (const scenario::Override& given : settings.overrides) {
    if (given.path != "data.path" && given.path != "data.test_path" && given.path != "training.init.file") {
      throw InputError("run --verify-digest: --set " + given.path +
                       ": would make it another run; expected nothing but data.path, where the same data lie now");
    }
    const auto folder = scenario::value_of(given);
    if (!folder || !folder->is_string()) {
      throw InputError("run --verify-digest: --set " + given.path + ": " + scenario::in_quotes(given.value) +
                       " is no text; expected the folder where the same data lie now");
    }
    where.push_back({given.path, nlohmann::json(fs::absolute(folder->get<std::string>()).string()).dump()});
  }
  return where;
}

// A result has the platform that it ran on, but not the data: their path, if it is relative, starts from the folder of
// the scenario. Tries the folder of the given scenario; else the one in which it lay, which the result tells if neither
// has moved without the other, the current one, and folders named "scenarios" beside those that contain the result.
scenario::Scenario scenario_of(const Registry& systems, const results::FinishedRun& before,
                               const RunSettings& settings) {
  std::string problem;  // the first
  std::vector<scenario::Override> where = given_paths(settings);
  if (before.has_platform_file) {
    where.push_back({"platform.file", fs::absolute(before.folder / results::platform_file).string()});
  }
  const auto as_if_in = [&](const fs::path& folder) -> std::optional<scenario::Scenario> {
    const std::string file = (folder / "run.json").string();
    try {
      return scenario::parse_scenario(systems, before.scenario, file, where);
    } catch (const scenario::ScenarioErrors& errors) {
      if (problem.empty()) problem = errors.lines.front().substr(file.size());
      return std::nullopt;
    }
  };
  const std::string file = (fs::path(before.folder) / "run.json").string();
  if (!settings.scenarios.empty()) {
    const fs::path given = settings.scenarios.front(), lay = given.parent_path();
    if (std::error_code error; !fs::is_regular_file(given, error)) {
      throw InputError(given.string() + ": is no file; expected the scenario that was run");
    }
    if (const auto scenario = as_if_in(lay)) return *scenario;
    throw InputError(file + problem + "; paths were to start in " + (lay.empty() ? "." : lay.string()));
  }
  if (const auto lay = recorded_folder(before.folder)) {
    if (const auto scenario = as_if_in(*lay)) return *scenario;
  }
  problem.clear();
  std::error_code ignored;
  fs::path above = fs::absolute(before.folder, ignored);
  for (fs::path lay; above != above.parent_path(); lay = above / "scenarios") {
    if (const auto scenario = as_if_in(lay)) return *scenario;
    above = above.parent_path();
  }
  if (!before.has_data_path) throw InputError(file + problem);
  throw InputError(file + problem +
                   "; paths start where the scenario lay: give it, too, or where the data are now, with --set "
                   "data.path=FOLDER");
}

// Throws if the run would not be that of the result.
results::RunIdentity identity_of(const results::FinishedRun& before, const scenario::Scenario& scenario) {
  results::RunIdentity identity = results::Identities().of(scenario);
  if (identity.platform_digest != before.platform_digest) {
    throw InputError((before.folder / results::platform_file).string() +
                     ": is not the platform of the run; expected it unchanged");
  }
  const auto refuse_others = [&](const std::vector<results::FileDigest>& files,
                                 const std::vector<results::FileDigest>& expected, const char* what) {
    for (const results::FileDigest& file : files) {
      if (std::ranges::find(expected, file) != expected.end()) continue;
      throw InputError(resolved_data(scenario).path + ": " + file.name + what + "; expected the same data");
    }
  };
  refuse_others(before.data, identity.data, " is not what it was for the run");
  refuse_others(identity.data, before.data, " was not there for the run");
  return identity;
}

void run_again(const scenario::Scenario& scenario, const results::RunIdentity& identity, const RunSettings& settings,
               const results::StagedFolder& folder) {
  ProgressLine line(scenario.name + " (seed " + std::to_string(scenario.seed) + ")", !settings.quiet);
  run::RunOptions options;
  options.threads = settings.threads;
  if (line.shown()) options.progress = [&](const run::Progress& progress) { line.show(progress); };
  run::in_child_of(scenario, [&] {
    results::stage_result(folder, scenario, identity, run::run_here(scenario, options));
    return std::string();
  });
}

}  // namespace

int verify_digest(const Registry& systems, const RunSettings& settings) {
  const fs::path folder = settings.verify;
  const results::FinishedRun before = results::read_finished(folder);
  if (before.measured) {
    throw InputError(settings.verify +
                     ": was measured in real time, which no run repeats; expected a simulated result");
  }
  const scenario::Scenario scenario = scenario_of(systems, before, settings);
  const results::RunIdentity identity = identity_of(before, scenario);
  std::error_code nowhere;                                                           // then here
  const results::StagedFolder scratch(fs::temp_directory_path(nowhere) / "ddlsim");  // never published
  results::remove_left_over(scratch.target(), results::is_result_file);
  run_again(scenario, identity, settings, scratch);
  const results::FinishedRun again = results::read_finished(scratch.place());
  const std::string what = results::first_difference(before, again);
  if (what.empty()) {
    std::cout << folder.string() << ": the same, digest " << before.digest << "\n";
    return kDone;
  }
  const std::string run_json = results::content_of((folder / "run.json").string());
  const results::EarlierRun earlier = results::compare_with_earlier(identity, run_json);
  std::string why;
  if (earlier.other_program) {
    why = "; another build or version of ddlsim wrote it";
  } else if (std::ranges::find(earlier.differences, "model") != earlier.differences.end()) {
    why = "; the model's program is not what it was for the run";
  } else if (earlier.other_math) {
    why = "; its math was " + *earlier.other_math;
  }
  std::string digests = "digest " + before.digest + " there, " + again.digest + " here";
  if (again.digest == before.digest) digests = "digest " + again.digest + " is, but not all that was written";
  print_error(folder.string() + ": is not the same: " + digests + "; the first difference is in " + what + why);
  return kInternalError;
}

}  // namespace ddl::cli

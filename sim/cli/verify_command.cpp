#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/results/identity/earlier_run.hpp"
#include "sim/results/identity/identity_json.hpp"
#include "sim/results/reading/finished_run.hpp"
#include "sim/results/writing/first_difference.hpp"
#include "sim/results/writing/result_files.hpp"
#include "sim/run/run.hpp"
#include "sim/scenario/reading/overrides.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::cli {
namespace fs = std::filesystem;
namespace {

bool has_digest_of_today(const results::FinishedRun& run) {
  return run.schema_version == results::result_schema_version;
}

std::string text_of(const fs::path& file) {
  std::error_code ignored;
  std::ifstream stream(file, std::ios::binary);
  if (!stream || fs::is_directory(file, ignored)) {
    throw InputError(file.string() + ": cannot be read; expected a result of ddlsim");
  }
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

constexpr double same_number = 1e-9;  // relative: versions of SimGrid round times otherwise

// The first difference between two versions of a file, "" if there is none.
std::string difference(const std::string& name, const std::string& there, const std::string& here,
                       const results::Tolerance& tolerance) {
  std::optional<std::string> place;
  if (name.ends_with(".csv")) {
    place = results::first_difference(there, here, tolerance);
  } else if (name.ends_with(".json")) {
    place = results::first_different_line(there, here, tolerance);
  } else {
    return there == here ? "" : name;
  }
  return place ? name + ", " + *place : "";
}

// What the digest is over is compared to the bit, if it says that this differs; all else within rounding. An older
// result's digest is over other things, and says nothing.
std::string difference(const results::FinishedRun& before, const scenario::Scenario& scenario,
                       const run::RunResult& again) {
  const std::string now = results::digest_of(again);
  const bool comparable = has_digest_of_today(before);
  std::string weights = comparable && now != before.digest ? "no table, but the final weights" : "";
  results::Tolerance tolerance{.relative = same_number, .scale = std::min(1.0, again.simulated_s)};
  for (const results::ResultFile& file : results::result_files(scenario, again, comparable ? now : before.digest)) {
    if (!weights.empty() && !file.name.ends_with(".csv")) return weights;
    tolerance.of_times_only = !weights.empty() && results::is_in_digest(file.name);
    std::string what = difference(file.name, text_of(before.folder / file.name), file.text(), tolerance);
    if (!what.empty()) return what;
  }
  return weights;
}

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
  const auto repeat = [&] {
    ProgressLine line(scenario.name + " (seed " + std::to_string(scenario.seed) + ")", !settings.quiet);
    run::RunOptions options;
    options.threads = settings.threads;
    if (line.shown()) options.progress = [&](const run::Progress& progress) { line.show(progress); };
    // The digest, and where the two differ, on lines of their own.
    return run::in_child_of(scenario, [&] {
      const run::RunResult again = run::run_here(scenario, options);
      return results::digest_of(again) + "\n" + difference(before, scenario, again);
    });
  };
  const std::string told = repeat();
  const std::string digest = told.substr(0, told.find('\n')), what = told.substr(digest.size() + 1);
  if (what.empty()) {
    std::cout << folder.string() << ": the same, "
              << (has_digest_of_today(before)
                      ? "digest " + before.digest
                      : fmt::format("but for its digest, which schema_version {} made of times, too: final weights are "
                                    "not compared",
                                    before.schema_version))
              << "\n";
    return kDone;
  }
  const results::EarlierRun earlier = results::compare_with_earlier(identity, text_of(folder / "run.json"));
  std::string why;
  if (earlier.other_program) {
    why = "; another build or version of ddlsim wrote it";
  } else if (std::ranges::find(earlier.differences, "model") != earlier.differences.end()) {
    why = "; the model's program is not what it was for the run";
  } else if (earlier.other_math) {
    why = "; its math was " + *earlier.other_math;
  }
  std::string digests = "digest " + before.digest + " there, " + digest + " here";
  if (!has_digest_of_today(before)) {
    digests = fmt::format("digests of schema_version {} are not compared", before.schema_version);
  } else if (digest == before.digest) {
    digests = "digest " + digest + " is, but not all that was written";
  }
  print_error(folder.string() + ": is not the same: " + digests + "; the first difference is in " + what + why);
  return kInternalError;
}

}  // namespace ddl::cli

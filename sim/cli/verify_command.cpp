#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/record/csv.hpp"
#include "sim/record/first_difference.hpp"
#include "sim/record/results.hpp"
#include "sim/record/run_json.hpp"
#include "sim/results/finished_run.hpp"
#include "sim/runtime/run.hpp"

namespace ddl {
namespace fs = std::filesystem;
namespace {

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError(file.string() + ": cannot be read; expected a result of ddlsim");
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// "" when nothing differs.
std::string difference(const fs::path& folder, const std::string& digest, const Scenario& scenario,
                       const RunResult& again) {
  const auto differs = [&](const char* name, const std::string& now) {
    const auto where = first_difference(text_of(folder / name), now);
    return where ? std::string(name) + ", " + *where : "";
  };
  // Events before what is reckoned from them: the first step that went otherwise tells most.
  std::string what;
  if (scenario.record.iterations) what = differs("iterations.csv", iterations_csv(again));
  if (what.empty()) what = differs("curve.csv", curve_csv(again));
  if (what.empty()) what = differs("pairs.csv", pairs_csv(again));
  if (what.empty()) what = differs("traffic.csv", traffic_csv(again));
  if (what.empty() && digest_of(again) != digest) what = "no table, but the final weights";
  if (what.empty() && text_of(folder / "summary.json") != summary_json(scenario, again)) what = "summary.json";
  return what;
}

// Relative paths start where the scenario lay, which its result does not know: in the folder of the scenario that is
// given, or here, or in a folder "scenarios" beside one that the result is in.
Scenario scenario_of(const FinishedRun& before, const RunSettings& settings) {
  const auto as_if_in = [&](const fs::path& folder) {
    return parse_scenario(before.scenario, (folder / "run.json").string());
  };
  if (!settings.scenarios.empty()) return as_if_in(fs::path(settings.scenarios.front()).parent_path());
  std::error_code ignored;
  std::string problem;
  fs::path above = fs::absolute(before.folder, ignored);
  for (fs::path lay; above != above.parent_path(); lay = above / "scenarios") {
    try {
      return as_if_in(lay);
    } catch (const ScenarioErrors& errors) {
      if (problem.empty()) problem = errors.lines.front();
    }
    above = above.parent_path();
  }
  throw InputError(before.folder.string() + ": " + problem +
                   "; paths start where the scenario lay: give it, too, if it is elsewhere");
}

}  // namespace

int verify_digest(const RunSettings& settings) {
  const fs::path folder = settings.verify;
  const FinishedRun before = read_finished(folder);
  if (before.measured) {
    throw InputError(settings.verify +
                     ": was measured in real time, which no run repeats; expected a simulated result");
  }
  const Scenario scenario = scenario_of(before, settings);
  const auto simulate = [&] {
    ProgressLine line(scenario.name + " (seed " + std::to_string(scenario.seed) + ")", !settings.quiet);
    RunOptions options;
    options.threads = settings.threads;
    if (line.shown()) options.progress = [&](const Progress& progress) { line.show(progress); };
    return run(scenario, options);
  };
  const RunResult again = simulate();
  const std::string what = difference(folder, before.digest, scenario, again);
  if (what.empty()) {
    std::cout << folder.string() << ": the same, digest " << before.digest << "\n";
    return kDone;
  }
  const bool same_program = is_run_json_of(scenario, program_identity(), text_of(folder / "run.json"));
  print_error(folder.string() + ": is not the same: digest " + before.digest + " there, " + digest_of(again) +
              " here; the first difference is in " + what +
              (same_program ? "" : "; another build or version of ddlsim wrote it"));
  return kInternalError;
}

}  // namespace ddl

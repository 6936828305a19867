#include <iostream>
#include <map>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/report_error.hpp"
#include "sim/results/writing/results.hpp"
#include "sim/results/writing/trace_json.hpp"
#include "sim/runtime/run.hpp"

namespace ddl::cli {
namespace {

struct PlannedRun {
  std::string file;
  scenario::Scenario scenario;
};

std::vector<PlannedRun> plan(const RunSettings& settings) {
  std::vector<PlannedRun> runs;
  const std::vector<scenario::Scenario> scenarios = read_all(settings.scenarios, settings.overrides);
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const std::uint64_t first = settings.first_seed.value_or(scenarios[i].seed);
    const std::uint64_t last = settings.last_seed.value_or(first);
    for (std::uint64_t offset = 0; offset <= last - first; ++offset) {
      runs.push_back({settings.scenarios[i], scenarios[i]});
      runs.back().scenario.seed = first + offset;
    }
  }
  return runs;
}

// Throws if anything is wrong with any result folder, before anything has run.
void check_folders(const std::vector<PlannedRun>& runs, const RunSettings& settings) {
  std::vector<std::string> lines;
  std::map<std::string, std::string> owners;
  for (const PlannedRun& planned : runs) {
    try {
      const std::string folder = results::result_folder(settings.out, planned.scenario, settings.force);
      const auto [owner, fresh] = owners.emplace(folder, planned.file);
      if (!fresh) {
        lines.push_back(planned.file + ": $.name: its results would replace those of " + owner->second + " in " +
                        folder + "; expected another name or seed");
      }
    } catch (const InputError& error) {
      lines.push_back(error.what());
    }
  }
  if (!lines.empty()) throw scenario::ScenarioErrors(lines);
}

std::string title_of(const scenario::Scenario& scenario) {
  return scenario.name + " (seed " + std::to_string(scenario.seed) + ")";
}

}  // namespace

std::vector<scenario::Scenario> read_all(const std::vector<std::string>& files,
                                         const std::vector<scenario::Override>& overrides) {
  std::vector<scenario::Scenario> scenarios;
  std::vector<std::string> lines;
  for (const std::string& file : files) {
    try {
      scenarios.push_back(scenario::read_scenario(file, overrides));
    } catch (const scenario::ScenarioErrors& errors) {
      lines.insert(lines.end(), errors.lines.begin(), errors.lines.end());
    }
  }
  if (!lines.empty()) throw scenario::ScenarioErrors(lines);
  return scenarios;
}

void run_scenarios(const RunSettings& settings) {
  const std::vector<PlannedRun> runs = plan(settings);
  check_folders(runs, settings);
  std::string summaries;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const scenario::Scenario& scenario = runs[i].scenario;
    const auto simulate = [&] {
      ProgressLine line(title_of(scenario), !settings.quiet);
      runtime::RunOptions options;
      options.threads = settings.threads;
      if (line.shown()) options.progress = [&](const runtime::Progress& progress) { line.show(progress); };
      return runtime::run(scenario, options);
    };
    const experiment::RunResult result = simulate();
    const std::string folder = results::write_results(settings.out, scenario, result, settings.force);
    if (const std::string note = results::trace_note(result); !note.empty())
      print_error(folder + "/trace.json: " + note);
    if (result.divergence) {
      print_error(runs[i].file + ": training diverged: " + results::divergence_text(result) + "; results end there");
    }
    if (settings.json) {
      std::string summary = results::summary_json(scenario, result);
      while (summary.ends_with('\n')) summary.pop_back();
      summaries += (i == 0 ? "" : ",\n") + summary;
    } else if (!settings.quiet) {
      std::cout << (i == 0 ? "" : "\n") << results::closing_table(scenario, result, folder) << std::flush;
    }
  }
  if (settings.json) std::cout << (runs.size() == 1 ? summaries : "[\n" + summaries + "\n]") << "\n";
}

}  // namespace ddl::cli

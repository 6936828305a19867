#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/notes.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/terminal.hpp"
#include "sim/cli/told.hpp"
#include "sim/jobs/jobs.hpp"
#include "sim/jobs/sweep/plan.hpp"
#include "sim/results/writing/result_folder.hpp"
#include "sim/run/run.hpp"
#include "sim/scenario/checks/checks.hpp"

namespace ddl::cli {
namespace {

struct PlannedRun {
  std::string file;
  scenario::Scenario scenario;
  std::filesystem::path folder;
};

results::Replace replace_of(const RunSettings& settings) {
  return settings.force ? results::Replace::any_scenario : results::Replace::same_scenario;
}

std::vector<PlannedRun> plan(const Registry& systems, const RunSettings& settings) {
  std::vector<PlannedRun> runs;
  const std::vector<scenario::Scenario> scenarios = read_all(systems, settings.scenarios, settings.overrides);
  NotePrinter notes(settings.quiet);
  for (const scenario::Scenario& scenario : scenarios) notes.print(scenario);
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const std::string name = jobs::changed_name(scenarios[i].name, settings.overrides);
    const std::vector<std::uint64_t> own = {scenarios[i].seed};
    for (const std::uint64_t seed : settings.seeds.empty() ? own : settings.seeds) {
      runs.push_back({settings.scenarios[i], scenarios[i], {}});
      runs.back().scenario.seed = seed;
      runs.back().scenario.name = name;
    }
  }
  return runs;
}

// Throws if anything is wrong with any result folder, before anything has run.
void find_folders(std::vector<PlannedRun>& runs, const RunSettings& settings) {
  std::vector<std::string> lines;
  std::map<std::string, std::string> owners;
  for (PlannedRun& planned : runs) {
    try {
      planned.folder = results::result_folder(settings.out, planned.scenario);
      results::check_place(planned.folder, planned.scenario, replace_of(settings));
      const std::string folder = planned.folder.string();
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

// Returns what the run's process told about it.
std::string simulate(const jobs::Job& job, const std::string& file, const RunSettings& settings,
                     const std::optional<jobs::LiveLines>& live) {
  ProgressLine line(job.name, !settings.quiet);
  jobs::JobOptions options;
  options.replace = replace_of(settings);
  options.make = [&](const jobs::Job&, const scenario::Scenario& scenario) {
    run::RunOptions run;
    run.threads = settings.threads;
    if (live) run.evaluated = live->of(job.live());
    if (line.shown()) run.progress = [&](const run::Progress& progress) { line.show(progress); };
    line.begin(scenario::workers_known(scenario.platform));
    return run::run_here(scenario, run);
  };
  options.tell = [&](const jobs::Job&, const scenario::Scenario& scenario, const run::RunResult& result) {
    return tell_run(scenario, result, file, job.folder);
  };
  return jobs::run_job(job, options);
}

}  // namespace

std::vector<scenario::Scenario> read_all(const Registry& systems, const std::vector<std::string>& files,
                                         const std::vector<scenario::Override>& overrides) {
  std::vector<scenario::Scenario> scenarios;
  std::vector<std::string> lines;
  for (const std::string& file : files) {
    try {
      scenarios.push_back(scenario::read_scenario(systems, file, overrides));
    } catch (const scenario::ScenarioErrors& errors) {
      lines.insert(lines.end(), errors.lines.begin(), errors.lines.end());
    }
  }
  if (!lines.empty()) throw scenario::ScenarioErrors(lines);
  return scenarios;
}

void run_scenarios(const Registry& systems, const RunSettings& settings) {
  std::vector<PlannedRun> runs = plan(systems, settings);
  find_folders(runs, settings);
  const bool prints_tables = !settings.quiet && settings.live != "-";
  std::optional<jobs::LiveLines> live;
  if (settings.live) live.emplace(*settings.live);
  RunPrinter printer(settings.json, !prints_tables);
  for (const auto& [file, scenario, folder] : runs) {
    const jobs::Job job{&scenario, scenario.seed, folder, title_of(scenario)};
    printer.print(simulate(job, file, settings, live), folder);
  }
  printer.end();
  if (runs.size() == 1 || settings.json || !prints_tables) return;
  std::vector<std::string> folders;
  for (const PlannedRun& planned : runs) folders.push_back(planned.folder.parent_path().string());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  std::cout << fmt::format("\nside by side: ddlsim compare {}\n", fmt::join(folders, " "));
}

}  // namespace ddl::cli

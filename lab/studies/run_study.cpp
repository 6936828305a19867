#include "lab/studies/run_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/check.hpp"
#include "sim/jobs/jobs_folder.hpp"
#include "sim/process/failures.hpp"
#include "sim/results/reading/finished_run.hpp"
#include "sim/results/reading/statistics.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::studies {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;
using scenario::Scenario;
using Readings = std::vector<std::optional<double>>;  // one per figure of a cell

// A scenario for each cell and draw of the network, and a job for each of its seeds.
struct Plan {
  std::vector<Scenario> scenarios;
  std::vector<jobs::Job> jobs;                 // by cell, then draw, then seed
  std::vector<std::size_t> jobs_before = {0};  // of each cell; at the end all
};

Plan plan_of(const Registry& systems, const Study& study, const fs::path& folder) {
  Plan plan;
  std::vector<std::string> problems;
  for (const Cell& cell : study.cells) {
    try {
      Json json = Json::parse(cell.scenario);
      for (int draw = 1; draw <= cell.draws; ++draw) {
        json["name"] = draw == 1 ? cell.name : fmt::format("{}_draw_{}", cell.name, draw);
        if (cell.draws > 1) json["platform"]["network"]["draw"] = draw;
        plan.scenarios.push_back(scenario::parse_scenario(systems, json.dump(), folder / cell.name));
      }
    } catch (const scenario::ScenarioErrors& errors) {
      problems.insert(problems.end(), errors.lines.begin(), errors.lines.end());
    }
  }
  if (!problems.empty()) throw scenario::ScenarioErrors(problems);
  auto scenario = plan.scenarios.begin();
  for (const Cell& cell : study.cells) {
    for (int draw = 1; draw <= cell.draws; ++draw, ++scenario) {
      for (const std::uint64_t seed : cell.seeds.empty() ? study.seeds : cell.seeds) {
        plan.jobs.push_back({&*scenario, seed, folder / scenario->name / std::to_string(seed),
                             fmt::format("{} (seed {})", scenario->name, seed), cell.cost});
      }
    }
    plan.jobs_before.push_back(plan.jobs.size());
  }
  return plan;
}

void put_platforms(const Study& study, const fs::path& folder) {
  for (const PlatformFile& platform : study.platforms) {
    const std::string file = (folder / platform.file).string();
    if (results::content_of(file) != platform.text) results::write_whole(file, platform.text);
  }
}

// Throws why a run did not end, and in which cell.
void check_end(const jobs::Job& job, const jobs::JobEnd& end) {
  const std::string cell = job.scenario->file + ": ";
  try {
    end.told();
  } catch (const jobs::CannotWrite&) {
    throw;
  } catch (const InputError& error) {
    const std::string what = error.what();
    throw InputError(what.starts_with(cell) ? what : cell + what);
  } catch (const process::RunFailed& error) {
    throw process::RunFailed(cell + error.what());
  }
}

Readings readings_of(const Cell& cell, const results::FinishedRun& run) {
  Readings readings;
  for (const Figure& figure : cell.figures) {
    const std::optional<double> value = figure.read(run);
    readings.push_back(value && std::isfinite(*value) ? value : std::nullopt);  // a run that diverged has no figures
  }
  return readings;
}

void count_network(const results::FinishedRun& run, std::vector<Outcome::Network>& networks) {
  if (run.network.empty()) return;
  const std::string text = run.network.substr(0, run.network.find(" ("));  // without the reason
  auto found = std::ranges::find(networks, text, &Outcome::Network::text);
  if (found == networks.end()) found = networks.insert(found, {text, 0});
  ++found->runs;
}

// The mean over seeds of the means over draws; none unless every run has the figure: a mean of the others would
// flatter. `of_runs`: by draw, then seed.
std::optional<results::Estimate> estimate_of(const std::vector<Readings>& of_runs, std::size_t figure, int draws) {
  std::vector<double> of_seeds(of_runs.size() / static_cast<std::size_t>(draws));
  for (std::size_t run = 0; run < of_runs.size(); ++run) {
    const auto& value = of_runs[run][figure];
    if (!value) return std::nullopt;
    of_seeds[run % of_seeds.size()] += *value;
  }
  for (double& of_seed : of_seeds) of_seed /= draws;
  return results::estimate(of_seeds);
}

// `is_open`: by job, whether its run is not finished.
Outcome outcome_of(const Study& study, const Plan& plan, const std::vector<bool>& is_open) {
  std::vector<Outcome::Value> values = study.derived;
  std::vector<Outcome::Network> networks;
  std::vector<std::string> open;
  for (std::size_t i = 0; i < study.cells.size(); ++i) {
    const Cell& cell = study.cells[i];
    const std::size_t first = plan.jobs_before[i], end = plan.jobs_before[i + 1];
    bool cell_is_open = false;
    for (std::size_t job = first; job < end; ++job) cell_is_open = cell_is_open || is_open[job];
    if (cell_is_open) open.push_back(cell.name);
    std::vector<Readings> of_runs;
    for (std::size_t job = first; job < end && !cell_is_open; ++job) {
      const results::FinishedRun run = results::read_finished(plan.jobs[job].folder);
      of_runs.push_back(readings_of(cell, run));
      count_network(run, networks);
    }
    for (std::size_t figure = 0; figure < cell.figures.size(); ++figure) {
      Outcome::Value& value = values.emplace_back(cell.figures[figure]);
      value.open = cell_is_open;
      const auto estimate = cell_is_open ? std::nullopt : estimate_of(of_runs, figure, cell.draws);
      if (!estimate) continue;
      value.simulated = estimate->mean;
      value.half_width = estimate->half_width;
    }
  }
  return Outcome(std::move(values), std::move(networks), std::move(open));
}

// Of the runs that are there, while more may be made. Throws InputError where there are none.
Outcome finished_of(const Registry& systems, const Study& study, const fs::path& folder) {
  if (!fs::is_directory(folder)) {
    throw InputError(folder.string() + ": holds no runs of the study; expected some, made without --finished");
  }
  put_platforms(study, folder);
  const Plan plan = plan_of(systems, study, folder);
  jobs::FinishedRuns finished;
  std::vector<bool> is_open;
  for (const jobs::Job& job : plan.jobs) is_open.push_back(!finished.has_of_any_build(job));
  return outcome_of(study, plan, is_open);
}

}  // namespace

Outcome run_study(const Registry& systems, const Study& study, const StudyOptions& options) {
  const fs::path folder = fs::path(options.out) / "cells" / study.name;
  if (options.finished_only) return finished_of(systems, study, folder);
  std::vector<std::string> own_files;
  for (const PlatformFile& platform : study.platforms) own_files.push_back(platform.file);
  const jobs::JobsFolder in_use(folder, jobs::JobsFolder::Use::alone, own_files);
  put_platforms(study, folder);
  const Plan plan = plan_of(systems, study, folder);
  // Those that are to be made, the cheapest first: a study that is interrupted has as many cells as it can.
  std::vector<std::size_t> open = jobs::FinishedRuns().open_of(plan.jobs);
  std::ranges::stable_sort(open, {}, [&](std::size_t job) { return plan.jobs[job].cost; });
  jobs::JobOptions runs;
  runs.at_once = options.at_once;
  runs.replace = results::Replace::anything;
  runs.progress = options.progress;
  jobs::run_jobs(plan.jobs, open, runs,
                 [&](std::size_t job, const jobs::JobEnd& end) { check_end(plan.jobs[job], end); });
  return outcome_of(study, plan, std::vector<bool>(plan.jobs.size()));
}

}  // namespace ddl::studies

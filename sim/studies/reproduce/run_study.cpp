#include "sim/studies/reproduce/run_study.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/base/check.hpp"
#include "core/base/digest.hpp"
#include "sim/process/child.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/runtime/run.hpp"
#include "sim/scenario/reading/read.hpp"
#include "sim/studies/reproduce/keep.hpp"

namespace ddl::studies {
namespace {

using Json = nlohmann::ordered_json;

struct PlannedRun {
  const Cell* cell;
  scenario::Scenario scenario;
  std::string file;              // where it is kept
  std::optional<Readings> read;  // one per figure of the cell
};

std::vector<PlannedRun> plan(const Study& study, const std::string& folder) {
  std::vector<PlannedRun> runs;
  std::vector<std::string> problems;
  std::string program = results::program_digest();
  for (const PlatformFile& platform : study.platforms) {
    results::write_whole(folder + "/" + platform.file, platform.text);
    program += platform.text;
  }
  for (const Cell& cell : study.cells) {
    try {
      Json json = Json::parse(cell.scenario);
      json["name"] = cell.name;
      scenario::Scenario scenario = scenario::parse_scenario(json.dump(), folder + "/" + cell.name);
      for (const std::uint64_t seed : study.seeds) {
        scenario.seed = seed;
        runs.push_back({&cell, scenario, kept_file(folder, scenario, program), std::nullopt});
      }
    } catch (const scenario::ScenarioErrors& errors) {
      problems.insert(problems.end(), errors.lines.begin(), errors.lines.end());
    }
  }
  if (!problems.empty()) throw scenario::ScenarioErrors(problems);
  return runs;
}

experiment::RunResult run_named(const scenario::Scenario& scenario) {
  try {
    return runtime::run_here(scenario, {.threads = 1, .progress = {}});
  } catch (const InputError& error) {
    throw InputError(scenario.file + ": " + error.what());
  } catch (const process::RunFailed& error) {
    throw process::RunFailed(scenario.file + ": " + error.what());
  }
}

Readings readings_of(const PlannedRun& planned) {
  const experiment::RunResult result = run_named(planned.scenario);
  const results::Summary summary = results::summarise(planned.scenario, result);
  Readings readings;
  for (const Figure& figure : planned.cell->figures) readings.push_back(figure.read(summary, result));
  return readings;
}

// A mean of those seeds that reached something would flatter; so all must have.
std::optional<double> mean(const std::vector<std::optional<double>>& values) {
  double sum = 0;
  for (const auto& value : values) {
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum / static_cast<double>(values.size());
}

Outcome outcome_of(const Study& study, const std::vector<PlannedRun>& runs) {
  std::vector<Outcome::Value> values = study.derived;
  const std::size_t seeds = study.seeds.size();
  for (std::size_t first = 0; first < runs.size(); first += seeds) {
    const Cell& cell = *runs[first].cell;
    for (std::size_t figure = 0; figure < cell.figures.size(); ++figure) {
      std::vector<std::optional<double>> read;
      for (std::size_t seed = 0; seed < seeds; ++seed) read.push_back((*runs[first + seed].read)[figure]);
      values.push_back({cell.figures[figure].place, cell.figures[figure].published, mean(read)});
    }
  }
  return Outcome(std::move(values));
}

}  // namespace

const Outcome::Value& Outcome::at(const TablePosition& place) const {
  for (const Value& value : values_) {
    if (value.place == place) return value;
  }
  throw InternalError("no such place in table " + place.table);
}

Outcome run_study(const Study& study, const StudyOptions& options) {
  const std::string folder = (std::filesystem::path(options.out) / "cells" / study.name).string();
  std::vector<PlannedRun> runs = plan(study, folder);
  runtime::RunsProgress progress{.runs = runs.size()};
  std::vector<std::size_t> open;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    runs[run].read = kept(runs[run].file, runs[run].cell->figures.size());
    runs[run].read ? void(++progress.kept) : open.push_back(run);
  }
  progress.finished = progress.kept;
  progress.work_left = static_cast<double>(open.size());
  if (options.progress) options.progress(progress);
  process::in_children(
      open.size(), options.at_once, [&](std::size_t job) { return to_text(readings_of(runs[open[job]])); },
      [&](std::size_t job, const process::ChildAnswer& answer) {
        PlannedRun& run = runs[open[job]];
        run.read = from_text(answer.text(), run.cell->figures.size());
        check(run.read.has_value(), "a run answers with its figures");
        keep(run.file, run.scenario, *run.read);
        ++progress.finished;
        ++progress.work_done;
        --progress.work_left;
        progress.latest = fmt::format("{} (seed {})", run.cell->name, run.scenario.seed);
        if (options.progress) options.progress(progress);
      });
  return outcome_of(study, runs);
}

}  // namespace ddl::studies

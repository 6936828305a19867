// ddlsim tune: each of several scenarios at its own best settings. For each, <out>/<name>/ has tried.csv, a row per
// run, <name>_tuned.json, the scenario with what was best, and the runs in tuning/. And "tune" in a sweep: every point
// of the grid at its own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/node/registry.hpp"
#include "sim/advise/tuning.hpp"
#include "sim/jobs/sweep/plan.hpp"

namespace ddl::advise {

struct TuneRequest {
  std::vector<std::string> files;
  std::vector<scenario::Override> overrides;  // of all scenarios
  std::vector<OverText> over;                 // what is searched; empty: the learning rate
  Goal goal;
  std::size_t seeds = 4;
  std::string out = "results/tune";
};

struct TunedScenario {
  std::string name, file;
  std::filesystem::path folder;
  Halving search;
  std::vector<scenario::Override> best;           // empty: no run has ended
  std::size_t runs = 0, failed = 0, planned = 0;  // made, without a result among these, and of the whole search
  // Of the best settings, over its seeds: what the goal asks for, in words' place.
  std::vector<double> at_end;
  std::vector<std::optional<double>> times_s;
  std::string tuned_file;  // empty: none was written
};

// Reads everything, searches to the end, or as far as the options let it get, and writes the files. Throws
// ScenarioErrors, and as Trials::run.
std::vector<TunedScenario> tuned_scenarios(const Registry& systems, const TuneRequest& request,
                                           const TrialOptions& options);

// Searches the best settings of every point of a sweep that has "tune", and gives them to its scenario; what was found
// is a column of the sweep's tables. The runs go to <out>/<sweep>_tuning, with tried.csv, a row for each. Throws as
// Trials::run, and RunFailed for a point of which no run came to its end.
jobs::SweepPlan tuned_plan(const Registry& systems, const jobs::Sweep& sweep, jobs::SweepPlan plan,
                           const std::string& out, const TrialOptions& options);

// Runs that takes, at most, by point; all 0 without "tune".
std::vector<std::size_t> tuning_runs(const jobs::Sweep& sweep, const jobs::SweepPlan& plan);

}  // namespace ddl::advise

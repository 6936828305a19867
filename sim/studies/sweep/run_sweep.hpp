// Runs a sweep on this machine, one child process per run.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sim/process/child.hpp"
#include "sim/runtime/runs_progress.hpp"
#include "sim/studies/sweep/plan.hpp"

namespace ddl::studies {

struct SweepOptions {
  int at_once = 1;
  std::function<void(const runtime::RunsProgress&)> progress;  // after every run, and once before
};

struct SweepOutcome {
  std::filesystem::path folder;
  std::vector<std::string> failures;  // per run: why it has no result; "" where it has one
  std::size_t kept = 0;               // results that were there before
  std::size_t failed() const;
};

// What is left to do, looked at before anything is written.
struct SweepEstimate {
  std::filesystem::path folder;
  std::vector<std::size_t> open;  // runs without a result
  std::vector<double> cost_s;     // per run of `open`: what it may take one core
  double seconds(int at_once) const;
};
// Builds the platform of every point that has open runs, `at_once` at a time. Throws ScenarioErrors with what is wrong
// with any, and InputError if the folder holds something else.
SweepEstimate estimate_sweep(const Sweep& sweep, const SweepPlan& plan, const std::string& out, int at_once);

// Runs what is open. A run that fails is in the outcome and stops no other; a result that cannot be written (a full
// disk) stops all (InputError), as Ctrl-C does (Interrupted). Whatever ends it, the same call goes on from there and
// comes to the same bytes. The tables are written when every run has ended.
SweepOutcome run_sweep(const SweepPlan& plan, const SweepEstimate& outlook, const SweepOptions& options);

// One run, in this process, which does nothing else: writes its result and returns how it ended, for why_failed.
std::string run_one(const std::filesystem::path& folder, const scenario::Scenario& scenario, int threads);
// What run_one said in a child: "" for a result, otherwise why there is none. Throws InputError if there was one that
// could not be written.
std::string why_failed(const process::ChildAnswer& answer);

// Tables of an earlier state.
void remove_sweep_tables(const std::filesystem::path& folder);

}  // namespace ddl::studies

// Runs a sweep on this machine: DIR/<sweep>/<point>/<seed>/ per run, sweep.json, and the tables once all has run.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/jobs/jobs.hpp"
#include "sim/jobs/jobs_folder.hpp"
#include "sim/jobs/sweep/plan.hpp"
#include "sim/run/forecast.hpp"

namespace ddl::jobs {

struct SweepOptions {
  int at_once = 1;
  std::function<void(const RunsProgress&)> progress;  // after every run, and once before
  const LiveLines* live = nullptr;                    // where runs tell their evaluations
};

struct SweepOutcome {
  std::filesystem::path folder;
  std::vector<std::string> failures;  // per run: why it has no result; "" where it has one
  std::size_t kept = 0;               // results that were there before
  std::size_t replayed = 0;           // runs that replay what another learned
  std::size_t failed() const;
};

// The work that is left, looked at before anything is written.
struct SweepEstimate {
  std::filesystem::path folder;
  std::vector<Job> jobs;          // per run; they need the plan
  std::vector<std::size_t> open;  // runs without a result
  bool learn_each = false;        // as JobOptions has it
  double seconds(int at_once) const;
  // Open runs whose folder has a result: of other settings, other data or another program, or a damaged one.
  std::vector<std::size_t> outdated() const;
  // Finds the runs that are open now. To be called once the folder is in use: other programs may have made some since.
  void look_again();
};
// Expected cost of one run of each of `points` (by number), as a forecast says; in `at_once` processes. Throws
// ScenarioErrors with the problems of all.
std::map<std::size_t, run::Cost> costs_of(const Sweep& sweep, const SweepPlan& plan,
                                          const std::vector<std::size_t>& points, int at_once,
                                          run::Programs programs = run::Programs::are_left_alone);
// Builds the platform of every point that has open runs, `at_once` at a time. Throws ScenarioErrors with what is wrong
// with any, and InputError if the folder holds something else.
SweepEstimate estimate_sweep(const Sweep& sweep, const SweepPlan& plan, const std::string& out, int at_once,
                             bool learn_each = false);

// Runs what is open. A run that fails is in the outcome and stops no other; a result that cannot be written (a full
// disk) stops all (InputError), as Ctrl-C does (Interrupted). Whatever ends it, the same call goes on from there and
// comes to the same bytes. The tables are written when every run has ended.
SweepOutcome run_sweep(const SweepPlan& plan, SweepEstimate outlook, const SweepOptions& options);

// The jobs of a plan whose results go to `folder`, by run.
std::vector<Job> jobs_of(const SweepPlan& plan, const std::filesystem::path& folder);
// How a sweep's run on this machine is made.
JobOptions sweep_jobs(int at_once);
// Why a job has no result, on one line; "" if it has one. Throws InputError if there was one that could not be written.
std::string why_failed(const JobEnd& end);

// Where the sweep's folder is or would be. Throws InputError if there is something that is no sweep's.
std::filesystem::path sweep_place(const std::string& out, const SweepPlan& plan);

// The sweep's folder, while it is in use; it has sweep.json from then on.
class SweepFolder {
 public:
  SweepFolder(const std::filesystem::path& path, const SweepPlan& plan, JobsFolder::Use use);

 private:
  JobsFolder folder_;
};

}  // namespace ddl::jobs

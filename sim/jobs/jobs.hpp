// Runs as jobs: each in a child process of its own, which fills a hidden folder, and each with a result folder, which
// appears when the run has ended. Single runs, sweeps, tasks on a cluster and studies are lists of jobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/check.hpp"
#include "core/base/machine/limits.hpp"
#include "sim/jobs/live_lines.hpp"
#include "sim/process/child.hpp"
#include "sim/results/identity/earlier_run.hpp"
#include "sim/results/identity/run_identity.hpp"
#include "sim/results/writing/result_folder.hpp"
#include "sim/run/rows/run_result.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::jobs {

struct Job {
  const scenario::Scenario* scenario = nullptr;  // outlives the job
  std::uint64_t seed = 1;                        // in place of the scenario's
  std::filesystem::path folder;                  // its result's
  std::string name;                              // "point/seed", for people
  double cost = 1;                               // expected, in any one unit; see JobOptions

  scenario::Scenario seeded() const;
  LiveRun live() const { return {folder.parent_path().filename().string(), seed}; }
};

// How far a list of jobs is.
struct RunsProgress {
  std::size_t runs = 0, finished = 0;
  std::size_t kept = 0;                 // part of `finished`, from an earlier call
  std::size_t failed = 0;               // not among those finished
  double work_done = 0, work_left = 0;  // in this call, by the jobs' costs, without runs that failed
  std::string latest{};                 // the run that ended last; empty before the first
  double took_s = 0;                    // by the clock, what was done in this call: the sum over its runs
  int at_once = 1;
  double expected_s = 0;  // for a cost of one, before any run has told; 0: not known

  // `run_s`: what it took by the clock; 0: not known.
  void note_end(const Job& job, bool has_result, double run_s);
  // Seconds for all that is left, `elapsed_s` after the first run began: from how long runs took or, where that is not
  // known, from how far they are. Their costs tell their proportions. None if nothing is left, or not known.
  std::optional<double> seconds_left(double elapsed_s) const;
};
// Before the first of `open`, which have no result yet, starts.
RunsProgress progress_before(const std::vector<Job>& jobs, const std::vector<std::size_t>& open);

// Runs that need not be made again: their folder holds the result of the same resolved scenario, of the same platform
// and data, by this program and with the math that would run here. A result's own identity counts, not where anything
// lies.
class FinishedRuns {
 public:
  bool has(const Job& job);
  // The same, by whatever build of the program.
  bool has_of_any_build(const Job& job);
  // Those of `jobs` that are not finished, by number.
  std::vector<std::size_t> open_of(const std::vector<Job>& jobs);

 private:
  results::EarlierRun result_of(const Job& job);  // not readable: none

  results::Identities identities_;
};

// Jobs with one text learn the same, as far as can be told before they run. "": a job learns by itself.
std::string learning_of(const Job& job, results::Identities& identities);
// Those of `open` (by number) that learn what one before them learns, and can replay it.
std::vector<std::size_t> replays_among(const std::vector<Job>& jobs, const std::vector<std::size_t>& open);

struct JobOptions {
  int at_once = 1;
  int threads = 1;        // per run
  double expected_s = 0;  // by the clock, of a job whose cost is one; 0: not known
  bool measured = false;  // instead of simulated
  // A simulation that learns what one before it learned replays that, unless each is to learn by itself.
  bool learn_each = false;
  results::Replace replace = results::Replace::same_scenario;
  const LiveLines* live = nullptr;  // where a simulation by default tells its evaluations
  // Makes the run, in its own process; by default a simulation.
  std::function<run::RunResult(const Job&, const scenario::Scenario&)> make;
  // Answer of the run's process beside its files; by default nothing.
  std::function<std::string(const Job&, const scenario::Scenario&, const run::RunResult&)> tell;
  std::function<void(const RunsProgress&)> progress;  // after every run, and once before
};

// There is a result, but no place for it (a full disk, say).
struct CannotWrite : InputError {
  using InputError::InputError;
};

// Likewise at a limit of the process, such as that of a file's size.
struct MayNotWrite : OutOfResources {
  using OutOfResources::OutOfResources;
};

// How a job ended.
class JobEnd {
 public:
  explicit JobEnd(std::string told, double run_s = 0, bool is_replay = false)
      : told_(std::move(told)), run_s_(run_s), is_replay_(is_replay) {}
  explicit JobEnd(std::exception_ptr failure) : failure_(std::move(failure)) {}  // NOLINT(*-throw-keyword-missing)

  bool has_result() const { return failure_ == nullptr; }
  double run_s() const { return run_s_; }  // by the clock; 0 without a result
  bool is_replay() const { return is_replay_; }
  // Told by the run's process; or throws why there is no result: CannotWrite, InputError, RunFailed, InternalError.
  const std::string& told() const {
    if (failure_) std::rethrow_exception(failure_);
    return told_;
  }

 private:
  std::string told_;
  double run_s_ = 0;
  bool is_replay_ = false;
  std::exception_ptr failure_;
};

// Running jobs. Turns what each run has written into a result; the caller starts the processes.
class RunsAtWork {
 public:
  explicit RunsAtWork(const JobOptions& options);  // `options` must outlive it
  ~RunsAtWork();
  // The work of a job's process; this object outlives it.
  std::function<std::string()> begin(std::size_t number, const Job& job, results::Replace replace);
  // Puts its result in its place.
  JobEnd end(std::size_t number, const process::ChildAnswer& answer);
  // Removes what a run that was ended has begun to write.
  void drop(std::size_t number);

  // See above; "" also if the job would not replay what another learned.
  std::string learning_of(const Job& job);
  // True while the first run of this learning is at work: those that start now cannot replay it.
  bool is_learning(const std::string& learning) const;

 private:
  struct Run;
  void keep(const std::string& learning, std::optional<run::LearnedBytes> learned);

  const JobOptions& options_;
  results::Identities identities_;
  std::map<std::size_t, Run> runs_;
  std::map<std::string, std::map<std::string, std::string>> learned_;  // by learning_of(), then as RunOptions has them
  std::size_t learned_bytes_ = 0;
};

// Runs those of `jobs` that are `open` (by number): first those that learn what others replay. `ended` is called here
// as each ends, its result in its place. What `ended` throws ends the others and comes out, as does Ctrl-C
// (Interrupted); nothing half-written is left. No thread may run at the call.
void run_jobs(const std::vector<Job>& jobs, const std::vector<std::size_t>& open, const JobOptions& options,
              const std::function<void(std::size_t job, const JobEnd&)>& ended);

// A single one: what its process told. Throws as JobEnd::told.
std::string run_job(const Job& job, const JobOptions& options);

// Cores this process may use, at least one.
int usable_cores();

}  // namespace ddl::jobs

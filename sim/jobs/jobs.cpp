#include "sim/jobs/jobs.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <thread>

#include "sim/process/failures.hpp"
#include "sim/results/writing/result_files.hpp"
#include "sim/results/writing/staged_folder.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/run/run.hpp"

namespace ddl::jobs {
namespace fs = std::filesystem;
namespace {

using results::RunIdentity;
using results::StagedFolder;
using run::RunResult;
using scenario::Scenario;

// The first letter of what a run's process answers with; after `staged` come its seconds by the clock, on a line.
constexpr char staged = 'S', unwritable = 'U', beyond_limit = 'L';

// In the child.
std::string stage(const Job& job, StagedFolder& folder, const RunIdentity& identity, const JobOptions& options) {
  const Scenario scenario = job.seeded();
  run::RunOptions run{.threads = options.threads, .progress = {}};
  if (options.live != nullptr) run.evaluated = options.live->of(job.live());
  const RunResult result = options.make ? options.make(job, scenario) : run::run_here(scenario, run);
  try {
    results::stage_result(folder, scenario, identity, result);
  } catch (const InputError& error) {
    return unwritable + std::string(error.what());
  } catch (const OutOfResources& error) {
    return beyond_limit + std::string(error.what());
  }
  return staged + fmt::format("{}\n", result.wall_s) +
         (options.tell ? options.tell(job, scenario, result) : std::string());
}

// The answer of a run whose result has been put in its place by `publish`.
JobEnd end_of(const Job& job, const process::ChildAnswer& answer, const std::function<void()>& publish) {
  try {
    const std::string& text = answer.text();
    check(!text.empty(), "a run's process says how it ended");
    if (text[0] == unwritable) throw CannotWrite(text.substr(1));
    if (text[0] == beyond_limit) throw MayNotWrite(text.substr(1));
    try {
      publish();
    } catch (const InputError& error) {
      throw CannotWrite(error.what());
    }
    const std::size_t line = text.find('\n');
    return JobEnd(text.substr(line + 1), std::stod(text.substr(1, line - 1)));
  } catch (const CannotWrite&) {
    return JobEnd(std::current_exception());
  } catch (const InputError& error) {
    return JobEnd(std::make_exception_ptr(InputError(run::with_origin(error.what(), job.scenario->file))));
  } catch (...) {
    return JobEnd(std::current_exception());
  }
}

}  // namespace

Scenario Job::seeded() const {
  Scenario copy = *scenario;
  copy.seed = seed;
  return copy;
}

void RunsProgress::note_end(const Job& job, bool has_result, double run_s) {
  ++(has_result ? finished : failed);
  if (has_result) work_done += job.cost;
  took_s += run_s;
  work_left -= job.cost;
  latest = job.name;
}

std::optional<double> RunsProgress::seconds_left(double elapsed_s) const {
  if (work_left <= 0) return std::nullopt;
  double of_one_s = expected_s;
  if (work_done > 0) of_one_s = (took_s > 0 ? took_s : elapsed_s) / work_done;
  if (of_one_s <= 0) return std::nullopt;
  // Every process is busy until the last runs: what those at work have done so far need not be known.
  return std::max(0.0, of_one_s * (work_done + work_left) / at_once - elapsed_s);
}

RunsProgress progress_before(const std::vector<Job>& jobs, const std::vector<std::size_t>& open) {
  RunsProgress progress;
  progress.runs = jobs.size();
  progress.finished = progress.kept = jobs.size() - open.size();
  for (const std::size_t job : open) progress.work_left += jobs[job].cost;
  return progress;
}

bool FinishedRuns::has(const Job& job) { return result_of(job).is_same(); }

bool FinishedRuns::has_of_any_build(const Job& job) { return result_of(job).is_same_of_any_build(); }

results::EarlierRun FinishedRuns::result_of(const Job& job) {
  const std::string text = results::content_of((job.folder / "run.json").string());
  if (text.empty()) return {};
  try {
    return results::compare_with_earlier(identities_.of(job.seeded()), text);
  } catch (const InputError&) {
    return {};  // without its inputs the run will say so itself
  }
}

std::vector<std::size_t> FinishedRuns::open_of(const std::vector<Job>& jobs) {
  std::vector<std::size_t> open;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    if (!has(jobs[job])) open.push_back(job);
  }
  return open;
}

struct RunsAtWork::Run {
  Run(const Job& its, results::Replace what) : job(its), replace(what), folder(its.folder) {}
  const Job& job;
  const results::Replace replace;
  StagedFolder folder;
  RunIdentity identity{};
};

RunsAtWork::RunsAtWork(const JobOptions& options) : options_(options) {}
RunsAtWork::~RunsAtWork() = default;

std::function<std::string()> RunsAtWork::begin(std::size_t number, const Job& job, results::Replace replace) {
  Run& run = runs_.try_emplace(number, job, replace).first->second;
  try {
    run.identity = identities_.before_run(job.seeded());
  } catch (const InputError& error) {
    return [what = std::string(error.what())]() -> std::string { throw InputError(what); };
  }
  return [&run, this] { return stage(run.job, run.folder, run.identity, options_); };
}

JobEnd RunsAtWork::end(std::size_t number, const process::ChildAnswer& answer) {
  Run& run = runs_.at(number);
  JobEnd end = end_of(run.job, answer, [&] {
    results::publish_result(run.folder, run.job.folder, run.identity, options_.measured, run.replace);
  });
  runs_.erase(number);
  return end;
}

void RunsAtWork::drop(std::size_t number) { runs_.erase(number); }

void run_jobs(const std::vector<Job>& jobs, const std::vector<std::size_t>& open, const JobOptions& options,
              const std::function<void(std::size_t job, const JobEnd&)>& ended) {
  RunsProgress progress = progress_before(jobs, open);
  progress.expected_s = options.expected_s;
  progress.at_once = std::clamp(static_cast<int>(open.size()), 1, std::max(1, options.at_once));
  if (options.progress) options.progress(progress);
  RunsAtWork at_work(options);
  process::in_children(
      open.size(), options.at_once,
      [&](std::size_t next) -> std::function<std::string()> {
        if (options.may_start && !options.may_start(open[next])) return {};
        return at_work.begin(open[next], jobs[open[next]], options.replace);
      },
      [&](std::size_t next, const process::ChildAnswer& answer) {
        const JobEnd end = at_work.end(open[next], answer);
        progress.note_end(jobs[open[next]], end.has_result(), end.run_s());
        ended(open[next], end);
        if (options.progress) options.progress(progress);
      },
      options.may_go_on);
}

std::string run_job(const Job& job, const JobOptions& options) {
  std::string told;
  run_jobs({job}, {0}, options, [&](std::size_t, const JobEnd& end) { told = end.told(); });
  return told;
}

int usable_cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace ddl::jobs

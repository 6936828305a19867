#include "sim/jobs/jobs.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <thread>

#include "sim/process/failures.hpp"
#include "sim/results/writing/result_files.hpp"
#include "sim/results/writing/staged_folder.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/run/learning/learned.hpp"
#include "sim/run/rows/archive.hpp"
#include "sim/run/run.hpp"

namespace ddl::jobs {
namespace fs = std::filesystem;
namespace {

using results::RunIdentity;
using results::StagedFolder;
using run::RunResult;
using scenario::Scenario;

// The first letter of what a run's process answers with; after `staged` comes a RunAnswer.
constexpr char staged = 'S', unwritable = 'U', beyond_limit = 'L';

constexpr std::size_t most_learned_bytes = std::size_t{256} << 20;  // with more in memory, all is forgotten

struct RunAnswer {
  double wall_s = 0;
  bool is_replay = false;
  std::string told;
  std::optional<run::LearnedBytes> learned;
};
template <class A>
void members(A& archive, RunAnswer& answer) {
  archive(answer.wall_s, answer.is_replay, answer.told, answer.learned);
}

// In the child.
std::string stage(const Job& job, StagedFolder& folder, const RunIdentity& identity, const JobOptions& options,
                  const std::map<std::string, std::string>* learned) {
  const Scenario scenario = job.seeded();
  run::RunOptions run{.threads = options.threads, .progress = {}};
  if (options.live != nullptr) run.evaluated = options.live->of(job.live());
  run.learned = learned;
  RunResult result = options.make ? options.make(job, scenario) : run::run_here(scenario, run);
  try {
    results::stage_result(folder, scenario, identity, result);
  } catch (const InputError& error) {
    return unwritable + std::string(error.what());
  } catch (const OutOfResources& error) {
    return beyond_limit + std::string(error.what());
  }
  std::string told = options.tell ? options.tell(job, scenario, result) : std::string();
  return staged + run::to_bytes(RunAnswer{result.wall_s, result.is_replay, std::move(told), std::move(result.learned)});
}

// The answer of a run whose result has been put in its place by `publish`.
JobEnd end_of(const Job& job, const process::ChildAnswer& answer, const std::function<void()>& publish,
              std::optional<run::LearnedBytes>& learned) {
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
    auto told = run::from_bytes<RunAnswer>(text.substr(1));
    learned = std::move(told.learned);
    return JobEnd(std::move(told.told), told.wall_s, told.is_replay);
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

std::string learning_of(const Job& job, results::Identities& identities) {
  const Scenario scenario = job.seeded();
  std::string text = run::learning_settings(scenario);
  if (text.empty()) return text;
  try {
    const RunIdentity identity = identities.before_run(scenario);
    for (const auto* files : {&identity.data, &identity.model, &identity.program.plug_ins}) {
      text += "\n" + results::digest_of(*files);
    }
    return text + "\n" + identity.math.mode + "\n" + identity.math.kernels;
  } catch (const InputError&) {
    return "";  // without its inputs the run will say so itself
  }
}

std::vector<std::size_t> replays_among(const std::vector<Job>& jobs, const std::vector<std::size_t>& open) {
  results::Identities identities;
  std::set<std::string> known;
  std::vector<std::size_t> replays;
  for (const std::size_t job : open) {
    const std::string learning = learning_of(jobs[job], identities);
    if (!learning.empty() && !known.insert(learning).second) replays.push_back(job);
  }
  return replays;
}

struct RunsAtWork::Run {
  Run(const Job& its, results::Replace what) : job(its), replace(what), folder(its.folder) {}
  const Job& job;
  const results::Replace replace;
  StagedFolder folder;
  RunIdentity identity{};
  std::string learning{};
};

RunsAtWork::RunsAtWork(const JobOptions& options) : options_(options) {}
RunsAtWork::~RunsAtWork() = default;

std::function<std::string()> RunsAtWork::begin(std::size_t number, const Job& job, results::Replace replace) {
  Run& run = runs_.try_emplace(number, job, replace).first->second;
  try {
    run.identity = identities_.before_run(job.seeded());
    run.learning = learning_of(job);
  } catch (const InputError& error) {
    return [what = std::string(error.what())]() -> std::string { throw InputError(what); };
  }
  return [&run, this] {
    return stage(run.job, run.folder, run.identity, options_, run.learning.empty() ? nullptr : &learned_[run.learning]);
  };
}

JobEnd RunsAtWork::end(std::size_t number, const process::ChildAnswer& answer) {
  Run& run = runs_.at(number);
  std::optional<run::LearnedBytes> learned;
  JobEnd end = end_of(
      run.job, answer,
      [&] { results::publish_result(run.folder, run.job.folder, run.identity, options_.measured, run.replace); },
      learned);
  keep(run.learning, std::move(learned));
  runs_.erase(number);
  return end;
}

void RunsAtWork::drop(std::size_t number) { runs_.erase(number); }

std::string RunsAtWork::learning_of(const Job& job) {
  return options_.learn_each || options_.make ? "" : jobs::learning_of(job, identities_);
}

bool RunsAtWork::is_learning(const std::string& learning) const {
  return !learning.empty() && !learned_.contains(learning) &&
         std::ranges::any_of(runs_, [&](const auto& run) { return run.second.learning == learning; });
}

void RunsAtWork::keep(const std::string& learning, std::optional<run::LearnedBytes> learned) {
  if (learning.empty()) return;
  if (learned_bytes_ > most_learned_bytes) {
    learned_.clear();
    learned_bytes_ = 0;
  }
  auto& known = learned_[learning];  // also without bytes: others need not wait for this run any more
  if (!learned) return;
  learned_bytes_ += learned->bytes.size();
  known.insert_or_assign(std::move(learned->from), std::move(learned->bytes));
}

void run_jobs(const std::vector<Job>& jobs, const std::vector<std::size_t>& open, const JobOptions& options,
              const std::function<void(std::size_t job, const JobEnd&)>& ended) {
  RunsProgress progress = progress_before(jobs, open);
  progress.expected_s = options.expected_s;
  progress.at_once = std::clamp(static_cast<int>(open.size()), 1, std::max(1, options.at_once));
  if (options.progress) options.progress(progress);
  JobOptions now = options;
  RunsAtWork at_work(now);
  const auto run_all = [&](const std::vector<std::size_t>& those) {
    // Fewer runs than processes have the threads of all.
    const int processes = std::clamp(static_cast<int>(those.size()), 1, options.at_once);
    now.threads = options.threads * options.at_once / processes;
    process::in_children(
        those.size(), options.at_once,
        [&](std::size_t next) -> std::function<std::string()> {
          return at_work.begin(those[next], jobs[those[next]], options.replace);
        },
        [&](std::size_t next, const process::ChildAnswer& answer) {
          const JobEnd end = at_work.end(those[next], answer);
          progress.note_end(jobs[those[next]], end.has_result(), end.run_s());
          ended(those[next], end);
          if (options.progress) options.progress(progress);
        });
  };
  const bool may_replay = !options.learn_each && !options.make;
  const std::vector<std::size_t> replays = may_replay ? replays_among(jobs, open) : std::vector<std::size_t>();
  std::vector<std::size_t> first;
  const std::set<std::size_t> later(replays.begin(), replays.end());
  std::ranges::copy_if(open, std::back_inserter(first), [&](std::size_t job) { return !later.contains(job); });
  now.learn_each = replays.empty();  // nobody asks what they learned
  run_all(first);
  run_all(replays);
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

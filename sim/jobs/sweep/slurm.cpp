#include "sim/jobs/sweep/slurm.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "core/base/check.hpp"
#include "core/base/digest.hpp"
#include "sim/jobs/sweep/sweep_table.hpp"
#include "sim/process/command.hpp"
#include "sim/process/failures.hpp"
#include "sim/process/signals_held.hpp"
#include "sim/results/writing/staged_folder.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::jobs {
namespace fs = std::filesystem;
namespace {

constexpr const char* slurm_folder = ".slurm";
constexpr std::size_t usual_array = 1001;  // Slurm's default of MaxArraySize
constexpr int most_silences = 60;          // queries in a row that Slurm may leave unanswered

fs::path tasks_file(const fs::path& folder) { return folder / slurm_folder / "tasks"; }
fs::path failure_file(const fs::path& folder, std::size_t run) {
  return folder / slurm_folder / ("failed-" + std::to_string(run));
}

std::string in_shell(const std::string& word) {
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

// The same for every call on this folder, so that an array is found again.
std::string job_name(const fs::path& folder) {
  Digest digest;
  digest.add(fs::weakly_canonical(fs::absolute(folder)).string());
  return "ddlsim-" + digest.hex();
}

// One per run, or as many as Slurm allows.
std::size_t tasks_for(std::size_t open) {
  const process::CommandOutput config = process::output_of({"scontrol", "show", "config"});
  std::istringstream lines(config.text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("MaxArraySize")) continue;
    std::size_t size = 0;
    const std::size_t digits = std::min(line.size(), line.find_first_of("0123456789"));
    std::from_chars(line.data() + digits, line.data() + line.size(), size);
    if (size > 0) return std::min(open, size);
  }
  return std::min(open, usual_array);
}

// Whether an array of that name is waiting or running; nothing if Slurm does not answer.
std::optional<bool> is_active(const std::string& name) {
  const process::CommandOutput queue =
      process::output_of({"squeue", "--noheader", "--me", "--name=" + name, "--format=%F"});
  if (queue.code != 0) return std::nullopt;
  return queue.text.find_first_not_of(" \n") != std::string::npos;
}

// Open runs, as found so far.
class Watch {
 public:
  Watch(const SweepEstimate& outlook, const SlurmSweep& sweep)
      : jobs_(outlook.jobs), report_(sweep.progress), open_(outlook.open), progress_(progress_before(jobs_, open_)) {
    if (report_) report_(progress_);
  }

  const std::vector<std::size_t>& open() const { return open_; }

  void look() {
    std::vector<std::size_t> open;
    for (const std::size_t run : open_) {
      if (finished_.has(jobs_[run])) {
        progress_.note_end(jobs_[run], true, 0);
      } else {
        open.push_back(run);
      }
    }
    const bool news = open.size() < open_.size();
    open_ = std::move(open);
    if (news && report_) report_(progress_);
  }

 private:
  const std::vector<Job>& jobs_;
  const std::function<void(const RunsProgress&)>& report_;
  FinishedRuns finished_;
  std::vector<std::size_t> open_;
  RunsProgress progress_;
};

// Sleeps; throws Interrupted at once if asked to end, having cancelled the array unless only the terminal has gone.
void sleep_or_end(double seconds, const std::string& name) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  const timespec time{static_cast<time_t>(seconds), static_cast<long>(1e9 * (seconds - static_cast<int>(seconds)))};
  const int signal = sigtimedwait(&signals, nullptr, &time);
  if (signal <= 0) return;
  if (signal != SIGHUP) process::output_of({"scancel", "--me", "--name=" + name});
  throw process::Interrupted("interrupted");
}

void wait_for_array(const std::string& name, Watch& watch) {
  int silences = 0;
  for (double pause_s = 0.5;; pause_s = std::min(10.0, 1.2 * pause_s)) {
    const std::optional<bool> active = is_active(name);
    silences = active ? 0 : silences + 1;
    if (silences > most_silences) throw InputError("squeue: Slurm does not answer; the same command goes on from here");
    watch.look();
    if (active && !*active) return;
    sleep_or_end(pause_s, name);
  }
}

void submit(const SlurmSweep& sweep, const SweepPlan& plan, const fs::path& folder,
            const std::vector<std::size_t>& open) {
  const std::size_t tasks = tasks_for(open.size());
  fs::remove_all(folder / slurm_folder);
  results::write_whole(tasks_file(folder).string(), [&](std::ostream& file) {
    file << plan.digest() << "\n";
    for (std::size_t task = 0; task < tasks; ++task) {
      for (std::size_t i = task; i < open.size(); i += tasks) file << open[i] << " ";
      file << "\n";
    }
  });
  const std::string script = (folder / slurm_folder / "script.sh").string();
  results::write_whole(script, slurm_script(sweep, folder.string(), open.size()));
  const process::CommandOutput answer = process::output_of({"sbatch", "--parsable", script});
  if (answer.code != 0) throw InputError("sbatch: " + scenario::on_one_line(answer.text));
}

std::string failure_of(const fs::path& folder, std::size_t run) {
  const std::string text = results::content_of(failure_file(folder, run).string());
  return text.empty() ? "its task ended without a result; see " + (folder / slurm_folder).string() + "/*.log"
                      : scenario::on_one_line(text);
}

}  // namespace

std::string slurm_script(const SlurmSweep& sweep, const std::string& folder, std::size_t open) {
  const std::string absolute = fs::absolute(folder).string();
  const std::size_t tasks = tasks_for(open);
  std::string sets;
  for (const scenario::Override& change : sweep.overrides)
    sets += " --set " + in_shell(change.path + "=" + change.value);
  return fmt::format(
      "#!/bin/sh\n"
      "#SBATCH --job-name={}\n"
      "#SBATCH --array=0-{}{}\n"
      "#SBATCH --ntasks=1 --cpus-per-task=1\n"
      "#SBATCH --output=\"{}/{}/task-%a.log\"\n"
      "exec {} sweep {} --out {}{} --task \"$SLURM_ARRAY_TASK_ID\"\n",
      job_name(folder), tasks - 1, sweep.at_once > 0 ? "%" + std::to_string(sweep.at_once) : "", absolute, slurm_folder,
      in_shell(fs::read_symlink("/proc/self/exe").string()), in_shell(fs::absolute(sweep.file).string()),
      in_shell(fs::absolute(sweep.out).string()), sets);
}

SweepOutcome run_sweep_on_slurm(const SweepPlan& plan, SweepEstimate outlook, const SlurmSweep& sweep) {
  if (process::output_of({"sbatch", "--version"}).code != 0) {
    throw InputError("--engine slurm: there is no sbatch here; expected Slurm's commands");
  }
  const SweepFolder in_use(outlook.folder, plan, JobsFolder::Use::shared);
  outlook.look_again();
  const process::SignalsHeld held;
  const fs::path& folder = outlook.folder;
  SweepOutcome outcome{folder, std::vector<std::string>(plan.runs()), plan.runs() - outlook.open.size()};
  if (!outlook.open.empty()) {
    remove_sweep_tables(folder);
    const std::string name = job_name(folder);
    Watch watch(outlook, sweep);
    wait_for_array(name, watch);
    if (!watch.open().empty()) {
      submit(sweep, plan, folder, watch.open());
      wait_for_array(name, watch);
    }
    for (const std::size_t run : watch.open()) outcome.failures[run] = failure_of(folder, run);
  }
  if (outcome.failed() == 0) fs::remove_all(folder / slurm_folder);
  write_sweep_tables(folder, plan, outcome.failures);
  return outcome;
}

void run_slurm_task(const SweepPlan& plan, const std::string& out, std::size_t task) {
  const fs::path folder = sweep_place(out, plan);
  std::istringstream lines(results::content_of(tasks_file(folder).string()));
  std::string digest, runs;
  std::getline(lines, digest);
  if (digest != plan.digest()) {
    throw InputError(tasks_file(folder).string() + ": is of another sweep; was the sweep's file changed meanwhile?");
  }
  for (std::size_t line = 0; line <= task; ++line) {
    if (!std::getline(lines, runs)) throw InputError("--task " + std::to_string(task) + ": there is no such task");
  }
  const SweepFolder in_use(folder, plan, JobsFolder::Use::shared);
  const std::vector<Job> jobs = jobs_of(plan, folder);
  FinishedRuns finished;
  JobOptions options = sweep_jobs(1);
  options.threads = 1;  // a task has one core
  std::istringstream numbers(runs);
  for (std::size_t run = 0; numbers >> run;) {
    check(run < jobs.size(), "a task's runs are the sweep's");
    if (finished.has(jobs[run])) continue;
    run_jobs(jobs, {run}, options, [&](std::size_t, const JobEnd& end) {
      const std::string failure = why_failed(end);
      if (!failure.empty()) results::write_whole(failure_file(folder, run).string(), failure);
    });
  }
}

}  // namespace ddl::jobs

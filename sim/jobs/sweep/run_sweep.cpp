#include "sim/jobs/sweep/run_sweep.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/check.hpp"
#include "sim/jobs/sweep/sweep_table.hpp"
#include "sim/process/child.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/run/forecast.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::jobs {
namespace fs = std::filesystem;
namespace {

constexpr const char* marker = "sweep.json";
const std::vector<std::string> own_files = {marker, "sweep.csv", "means.csv", "curves.csv"};

// Points of the open runs, each once, in order.
std::vector<std::size_t> points_of(const SweepPlan& plan, const std::vector<std::size_t>& open) {
  std::vector<std::size_t> points;
  for (const std::size_t run : open) {
    const std::size_t point = run / plan.seeds.size();
    if (points.empty() || points.back() != point) points.push_back(point);
  }
  return points;
}

// Wall time of runs, as their results tell: other seeds take about as long.
class SecondsTaken {
 public:
  void add(const fs::path& result) {
    const auto timing = nlohmann::json::parse(results::content_of((result / "timing.json").string()), nullptr, false);
    if (!timing.is_object() || !timing.contains("wall_seconds") || !timing["wall_seconds"].is_number()) return;
    if (timing.contains("is_replay")) return;
    sum_s_ += timing["wall_seconds"].get<double>();
    ++runs_;
  }
  std::optional<double> mean() const { return runs_ > 0 ? std::optional(sum_s_ / runs_) : std::nullopt; }

 private:
  double sum_s_ = 0;
  int runs_ = 0;
};

}  // namespace

std::map<std::size_t, run::Cost> costs_of(const Sweep& sweep, const SweepPlan& plan,
                                          const std::vector<std::size_t>& points, int at_once, run::Programs programs) {
  std::map<std::size_t, run::Cost> costs;
  std::map<std::size_t, std::string> problems;
  process::in_children(
      points.size(), at_once,
      [&](std::size_t next) -> std::function<std::string()> {
        return [&, next] { return run::forecast_as_bytes(plan.points[points[next]].scenario, programs); };
      },
      [&](std::size_t next, const process::ChildAnswer& answer) {
        const std::size_t point = points[next];
        try {
          costs[point] = run::forecast_from(answer.text()).cost;
        } catch (const InputError& error) {
          problems[point] = sweep.file + ": " + plan.points[point].name + ": " + error.what();
        }
      });
  if (problems.empty()) return costs;
  std::vector<std::string> lines;
  for (const auto& [point, line] : problems) lines.push_back(line);
  throw scenario::ScenarioErrors(lines);
}

std::size_t SweepOutcome::failed() const {
  return static_cast<std::size_t>(
      std::count_if(failures.begin(), failures.end(), [](const std::string& failure) { return !failure.empty(); }));
}

double SweepEstimate::seconds(int at_once) const {
  double all = 0, longest = 0;
  for (const std::size_t run : open) {
    all += jobs[run].cost;
    longest = std::max(longest, jobs[run].cost);
  }
  return std::max(all / at_once, longest);
}

std::vector<std::size_t> SweepEstimate::outdated() const {
  std::vector<std::size_t> runs;
  std::error_code none;
  std::ranges::copy_if(open, std::back_inserter(runs), [&](auto run) { return fs::exists(jobs[run].folder, none); });
  return runs;
}

SweepEstimate estimate_sweep(const Sweep& sweep, const SweepPlan& plan, const std::string& out, int at_once,
                             bool learn_each) {
  SweepEstimate outlook;
  outlook.learn_each = learn_each;
  outlook.folder = sweep_place(out, plan);
  outlook.jobs = jobs_of(plan, outlook.folder);
  outlook.open = FinishedRuns().open_of(outlook.jobs);
  const auto costs = costs_of(sweep, plan, points_of(plan, outlook.open), at_once);
  std::map<std::size_t, SecondsTaken> taken;  // by point, from its finished runs
  for (std::size_t run = 0, next = 0; run < outlook.jobs.size(); ++run) {
    if (next < outlook.open.size() && outlook.open[next] == run) {
      ++next;
    } else if (costs.contains(run / plan.seeds.size())) {
      taken[run / plan.seeds.size()].add(outlook.jobs[run].folder);
    }
  }
  for (const std::size_t run : outlook.open) {
    const std::size_t point = run / plan.seeds.size();
    outlook.jobs[run].cost = taken[point].mean().value_or(costs.at(point).core_s());
  }
  if (learn_each) return outlook;
  for (const std::size_t run : replays_among(outlook.jobs, outlook.open)) {
    const run::Cost& cost = costs.at(run / plan.seeds.size());
    outlook.jobs[run].cost = cost.start_s + cost.messages_s;
  }
  return outlook;
}

void SweepEstimate::look_again() { open = FinishedRuns().open_of(jobs); }

SweepOutcome run_sweep(const SweepPlan& plan, SweepEstimate outlook, const SweepOptions& options) {
  const SweepFolder in_use(outlook.folder, plan, JobsFolder::Use::alone);
  outlook.look_again();
  SweepOutcome outcome{outlook.folder, std::vector<std::string>(plan.runs()), plan.runs() - outlook.open.size()};
  if (!outlook.open.empty()) remove_sweep_tables(outlook.folder);
  JobOptions jobs = sweep_jobs(options.at_once);
  jobs.progress = options.progress;
  jobs.live = options.live;
  jobs.expected_s = 1;  // costs are seconds
  jobs.learn_each = outlook.learn_each;
  run_jobs(outlook.jobs, outlook.open, jobs, [&](std::size_t run, const JobEnd& end) {
    outcome.failures[run] = why_failed(end);
    outcome.replayed += end.is_replay();
  });
  write_sweep_tables(outlook.folder, plan, outcome.failures);
  return outcome;
}

std::vector<Job> jobs_of(const SweepPlan& plan, const fs::path& folder) {
  std::vector<Job> jobs;
  jobs.reserve(plan.runs());
  for (std::size_t run = 0; run < plan.runs(); ++run) {
    const std::string name = plan.name_of(run);
    jobs.push_back({&plan.point_of(run).scenario, plan.seed_of(run), folder / name, name});
  }
  return jobs;
}

JobOptions sweep_jobs(int at_once) {
  JobOptions options;
  options.at_once = at_once;
  options.threads = std::max(1, usable_cores() / at_once);
  options.replace = results::Replace::anything;  // the sweep's own, be it of an earlier state or damaged
  return options;
}

std::string why_failed(const JobEnd& end) {
  try {
    end.told();
    return "";
  } catch (const CannotWrite& error) {
    throw InputError(error.what() + std::string("; the finished runs are kept"));
  } catch (const MayNotWrite& error) {
    throw OutOfResources(error.what() + std::string("; the finished runs are kept"));
  } catch (const std::exception& error) {
    return scenario::on_one_line(error.what());
  }
}

fs::path sweep_place(const std::string& out, const SweepPlan& plan) {
  fs::path path = fs::path(out.empty() ? "." : out) / plan.name;
  std::error_code error;
  if (!fs::exists(path, error)) return path;
  if (!fs::is_directory(path, error)) throw InputError(path.string() + ": is not a folder; expected one, or none");
  if (fs::exists(path / marker, error)) return path;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    if (is_leftover(entry.path().filename().string(), own_files)) continue;
    throw InputError(path.string() + ": holds no sweep (no " + marker +
                     ") and is left alone; expected another name or --out");
  }
  return path;
}

SweepFolder::SweepFolder(const fs::path& path, const SweepPlan& plan, JobsFolder::Use use)
    : folder_(path, use, own_files) {
  const std::string file = (path / marker).string();
  if (results::content_of(file) != plan.text) results::write_whole(file, plan.text);
}

}  // namespace ddl::jobs

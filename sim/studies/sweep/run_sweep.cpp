#include "sim/studies/sweep/run_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/check.hpp"
#include "sim/experiment/forecast.hpp"
#include "sim/process/child.hpp"
#include "sim/results/writing/results.hpp"
#include "sim/results/writing/run_json.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/runtime/run.hpp"
#include "sim/scenario/reading/words.hpp"
#include "sim/studies/sweep/sweep_folder.hpp"
#include "sim/studies/sweep/sweep_table.hpp"

namespace ddl::studies {
namespace {

// What a child answers with when its result could not be written; a run's own end has another first letter.
constexpr char written = 'W', failed = 'F', unwritable = 'U';

std::string ending_of(const process::ChildAnswer& answer) {
  try {
    return answer.text();
  } catch (const std::exception& error) {
    return failed + std::string(error.what());
  }
}

// Points of the open runs, each once, in order.
std::vector<std::size_t> points_of(const SweepPlan& plan, const std::vector<std::size_t>& open) {
  std::vector<std::size_t> points;
  for (const std::size_t run : open) {
    const std::size_t point = run / plan.seeds.size();
    if (points.empty() || points.back() != point) points.push_back(point);
  }
  return points;
}

std::map<std::size_t, double> costs_of(const Sweep& sweep, const SweepPlan& plan,
                                       const std::vector<std::size_t>& points, int at_once) {
  std::map<std::size_t, double> costs;
  std::map<std::size_t, std::string> problems;
  process::in_children(
      points.size(), at_once,
      [&](std::size_t job) { return experiment::forecast_as_bytes(plan.points[points[job]].scenario); },
      [&](std::size_t job, const process::ChildAnswer& answer) {
        const std::size_t point = points[job];
        try {
          costs[point] = experiment::forecast_of(answer.text()).cost_s;
        } catch (const InputError& error) {
          problems[point] = sweep.file + ": " + plan.points[point].name + ": " + error.what();
        }
      });
  if (problems.empty()) return costs;
  std::vector<std::string> lines;
  for (const auto& [point, line] : problems) lines.push_back(line);
  throw scenario::ScenarioErrors(lines);
}

}  // namespace

std::size_t SweepOutcome::failed() const {
  return static_cast<std::size_t>(
      std::count_if(failures.begin(), failures.end(), [](const std::string& failure) { return !failure.empty(); }));
}

double SweepEstimate::seconds(int at_once) const {
  double all = 0, longest = 0;
  for (const double cost : cost_s) {
    all += cost;
    longest = std::max(longest, cost);
  }
  return std::max(all / at_once, longest);
}

SweepEstimate estimate_sweep(const Sweep& sweep, const SweepPlan& plan, const std::string& out, int at_once) {
  SweepEstimate outlook;
  outlook.folder = sweep_place(out, plan);
  outlook.open = OwnResults().open_runs(outlook.folder, plan);
  const auto costs = costs_of(sweep, plan, points_of(plan, outlook.open), at_once);
  for (const std::size_t run : outlook.open) outlook.cost_s.push_back(costs.at(run / plan.seeds.size()));
  return outlook;
}

std::string run_one(const std::filesystem::path& folder, const scenario::Scenario& scenario, int threads) {
  experiment::RunResult result;
  try {
    result = runtime::run_here(scenario, {.threads = threads, .progress = {}});
  } catch (const InputError& error) {
    return failed + std::string(error.what());
  } catch (const process::RunFailed& error) {
    return failed + std::string(error.what());
  }
  try {
    // The sweep's own, but damaged: nothing that write_results would replace.
    const std::filesystem::path place = folder / scenario.name / std::to_string(scenario.seed);
    const std::string earlier = results::content_of((place / "run.json").string());
    if (!earlier.empty() && !results::compare_with_run_json(scenario, earlier).readable)
      std::filesystem::remove_all(place);
    results::write_results(folder.string(), scenario, result, true);
  } catch (const InputError& error) {
    return unwritable + std::string(error.what());
  }
  return {written};
}

std::string why_failed(const process::ChildAnswer& answer) {
  const std::string ending = ending_of(answer);
  check(!ending.empty(), "a run says how it ended");
  if (ending[0] == unwritable) throw InputError(ending.substr(1) + "; the finished runs are kept");
  return ending[0] == failed ? scenario::on_one_line(ending.substr(1)) : "";
}

void remove_sweep_tables(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const char* table : {"sweep.csv", "means.csv"}) std::filesystem::remove(folder / table, ignored);
}

SweepOutcome run_sweep(const SweepPlan& plan, const SweepEstimate& outlook, const SweepOptions& options) {
  const SweepFolder in_use(outlook.folder, plan, SweepFolder::Use::alone);
  SweepOutcome outcome{outlook.folder, std::vector<std::string>(plan.runs()), plan.runs() - outlook.open.size()};
  const std::vector<std::size_t>& open = outlook.open;
  runtime::RunsProgress progress{.runs = plan.runs(), .finished = outcome.kept, .kept = outcome.kept};
  for (const double cost : outlook.cost_s) progress.work_left += cost;
  if (!open.empty()) remove_sweep_tables(outlook.folder);
  if (options.progress) options.progress(progress);
  const int threads = std::max(1, runtime::usable_cores() / options.at_once);
  process::in_children(
      open.size(), options.at_once,
      [&](std::size_t job) { return run_one(outlook.folder, plan.scenario_of(open[job]), threads); },
      [&](std::size_t job, const process::ChildAnswer& answer) {
        outcome.failures[open[job]] = why_failed(answer);
        ++(outcome.failures[open[job]].empty() ? progress.finished : progress.failed);
        progress.latest = plan.name_of(open[job]);
        progress.work_done += outlook.cost_s[job];
        progress.work_left -= outlook.cost_s[job];
        if (options.progress) options.progress(progress);
      });
  write_sweep_tables(outlook.folder, plan, outcome.failures);
  return outcome;
}

}  // namespace ddl::studies

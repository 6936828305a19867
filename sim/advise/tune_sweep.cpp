#include "sim/advise/tune_sweep.hpp"

#include <cmath>
#include <filesystem>

#include "core/base/check.hpp"
#include "sim/advise/tried.hpp"
#include "sim/advise/tuning.hpp"
#include "sim/jobs/jobs_folder.hpp"
#include "sim/jobs/process/failures.hpp"
#include "sim/results/writing/whole_file.hpp"

namespace ddl::advise {
namespace {

std::vector<OverText> over_of_sweep(const jobs::SweepTuning& tuning) {
  std::vector<OverText> over;
  for (const auto& [path, values] : tuning.over) over.push_back({path, values});
  return over;
}

// The text of a point's scenario, whose paths still start from the base's folder.
Lab::Base base_of(const jobs::Sweep& sweep, const jobs::SweepPoint& point, const std::filesystem::path& folder) {
  return {
      scenario::describe_run(point.scenario), sweep.base_file, {{"record.iterations", "false"}}, point.name, folder};
}

std::string table_of(const jobs::SweepPlan& plan, const Tuning& tuning, Lab& lab, const Goal& goal) {
  TriedTable table(plan.columns, tuning.space_of(0), goal);
  for (std::size_t i = 0; i < plan.points.size(); ++i) table.add(plan.points[i].values, tuning, i, lab);
  return table.csv();
}

}  // namespace

std::vector<std::size_t> tuning_runs(const jobs::Sweep& sweep, const jobs::SweepPlan& plan) {
  std::vector<std::size_t> runs(plan.points.size());
  for (std::size_t i = 0; sweep.tune && i < runs.size(); ++i) {
    runs[i] = runs_of(space_of(plan.points[i].scenario, over_of_sweep(*sweep.tune)), sweep.tune->seeds);
  }
  return runs;
}

jobs::SweepPlan tuned_plan(const Registry& systems, const jobs::Sweep& sweep, jobs::SweepPlan plan,
                           const std::string& out, const LabOptions& options) {
  check(sweep.tune.has_value(), "the sweep is tuned");
  const std::vector<std::uint64_t> seeds = advise::tuning_seeds(sweep.tune->seeds);
  for (const std::uint64_t seed : plan.seeds) {
    if (seed >= seeds.front() && seed <= seeds.back()) {
      throw InputError(sweep.file + ": $.seeds: " + std::to_string(seed) + " is a seed for tuning; expected others");
    }
  }
  const Goal goal{sweep.tune->target};
  const std::filesystem::path folder = std::filesystem::path(out) / (plan.name + "_tuning");
  Lab lab(systems, goal);
  std::vector<TunedScheme> schemes;
  for (const jobs::SweepPoint& point : plan.points) {
    check_tunable(point.scenario, goal);
    schemes.push_back(
        {lab.add(base_of(sweep, point, folder)), {}, space_of(point.scenario, over_of_sweep(*sweep.tune))});
  }
  const Tuning tuning(lab, std::move(schemes), seeds);
  const jobs::JobsFolder in_use(folder, jobs::JobsFolder::Use::alone, {});
  tuning.run(options);
  if (!plan.points.empty()) results::write_whole((folder / tried_file).string(), table_of(plan, tuning, lab, goal));
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    jobs::SweepPoint& point = plan.points[i];
    const std::vector<scenario::Override> best = tuning.best_of(i);
    const Halving search = tuning.search_of(i);
    if (!search.best || !std::isfinite(search.tried[*search.best].mean())) {
      throw process::RunFailed(point.name + ": no run of its tuning came to its end");
    }
    const std::string name = point.scenario.name;
    point.scenario = scenario::parse_scenario(systems, scenario::describe_run(point.scenario), sweep.base_file, best);
    point.scenario.name = name;
    for (const scenario::Override& change : best) {
      if (i == 0) plan.columns.push_back(change.path);
      point.values.push_back(change.value);
    }
  }
  return plan;
}

}  // namespace ddl::advise

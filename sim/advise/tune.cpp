#include "sim/advise/tune.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

#include "core/base/check.hpp"
#include "sim/jobs/jobs_folder.hpp"
#include "sim/process/failures.hpp"
#include "sim/results/writing/whole_file.hpp"

namespace ddl::advise {
namespace {

namespace fs = std::filesystem;

SearchSpace space_of_point(const jobs::Sweep& sweep, const jobs::SweepPoint& point) {
  std::vector<OverText> over;
  for (const auto& [path, values] : sweep.tune->over) {
    over.push_back({path, {}});
    for (const AsWritten& value : values) over.back().values.push_back(value.text);
  }
  return space_of(point.scenario, over, sweep.tune->seeds);
}

// Of a scenario file. Throws ScenarioErrors.
Scheme scheme_of(const Registry& systems, const TuneRequest& request, Trials& trials, const std::string& file) {
  const std::string text = scenario::scenario_text(file);
  const scenario::Scenario scenario = scenario::parse_scenario(systems, text, file, request.overrides);
  check_tunable(scenario, request.goal);
  const std::string name = jobs::changed_name(scenario.name, request.overrides);
  const fs::path folder = fs::path(request.out) / name / "tuning";
  const Base base = {text, file, joined(request.overrides, {{"record.iterations", "false"}}), name, folder};
  const SearchSpace space = space_of(scenario, request.over, request.seeds);
  for (const SearchSpace::Axis& axis : space.axes) {
    for (const std::string& value : axis.values) trials.point(base, {{axis.path, value}});  // throws, if it cannot be
  }
  return {base, {}, space};
}

TunedScenario result_of(Trials& trials, const Scheme& scheme) {
  TunedScenario tuned;
  tuned.name = scheme.base.name;
  tuned.file = scheme.base.file;
  tuned.folder = scheme.base.folder.parent_path();
  tuned.search = search_of(trials, scheme);
  tuned.best = best_of(scheme, tuned.search);
  tuned.planned = runs_of(scheme.space);
  const Halving::Tried* best = tuned.search.best();
  for (const MadeRun& run : made_runs(trials, scheme, tuned.search)) {
    ++tuned.runs;
    tuned.failed += run.result->failure.empty() ? 0 : 1;
    if (run.tried != best) continue;
    tuned.at_end.push_back(run.result->at_end);
    tuned.times_s.push_back(run.result->target ? std::optional(run.result->target->time_s) : std::nullopt);
  }
  if (best != nullptr) tuned.tuned_file = (tuned.folder / (tuned.name + "_tuned.json")).string();
  return tuned;
}

}  // namespace

std::vector<TunedScenario> tuned_scenarios(const Registry& systems, const TuneRequest& request,
                                           const TrialOptions& options) {
  Trials trials(systems, request.goal);
  std::vector<Scheme> schemes;
  std::vector<std::string> lines;
  for (const std::string& file : request.files) {
    try {
      Scheme scheme = scheme_of(systems, request, trials, file);
      const std::string& name = scheme.base.name;
      if (std::ranges::any_of(schemes, [&](const Scheme& other) { return other.base.name == name; })) {
        throw scenario::ScenarioErrors(
            {file + ": $.name: is " + name + ", as an earlier scenario's is; expected another name"});
      }
      schemes.push_back(std::move(scheme));
    } catch (const scenario::ScenarioErrors& errors) {
      lines.insert(lines.end(), errors.lines.begin(), errors.lines.end());
    }
  }
  if (!lines.empty()) throw scenario::ScenarioErrors(lines);
  std::deque<jobs::JobsFolder> in_use;
  for (const Scheme& scheme : schemes) {
    in_use.emplace_back(scheme.base.folder, jobs::JobsFolder::Use::alone, std::vector<std::string>{});
  }
  tune(trials, schemes, options);
  std::vector<TunedScenario> list;
  for (const Scheme& scheme : schemes) {
    const TunedScenario& tuned = list.emplace_back(result_of(trials, scheme));
    results::write_whole((tuned.folder / tried_file).string(), tried_csv(trials, {scheme}));
    if (tuned.tuned_file.empty()) continue;
    scenario::Scenario best =
        scenario::parse_scenario(systems, scheme.base.text, scheme.base.file, joined(request.overrides, tuned.best));
    best.name = fs::path(tuned.tuned_file).stem();
    write_scenario(std::move(best), tuned.tuned_file);
  }
  return list;
}

std::vector<std::size_t> tuning_runs(const jobs::Sweep& sweep, const jobs::SweepPlan& plan) {
  std::vector<std::size_t> runs(plan.points.size());
  for (std::size_t i = 0; sweep.tune && i < runs.size(); ++i) runs[i] = runs_of(space_of_point(sweep, plan.points[i]));
  return runs;
}

jobs::SweepPlan tuned_plan(const Registry& systems, const jobs::Sweep& sweep, jobs::SweepPlan plan,
                           const std::string& out, const TrialOptions& options) {
  check(sweep.tune.has_value(), "the sweep is tuned");
  check_not_for_tuning(plan.seeds, sweep.tune->seeds, sweep.file + ": $.seeds");
  const Goal goal{sweep.tune->target, plan.points.front().scenario.evaluate.judged_by()};
  check_target(goal, sweep.file + ": $.tune.target");
  const fs::path folder = fs::path(out) / (plan.name + "_tuning");
  Trials trials(systems, goal);
  std::vector<Scheme> schemes;
  std::vector<std::vector<std::string>> values;
  for (const jobs::SweepPoint& point : plan.points) {
    check_tunable(point.scenario, goal);
    // The text of the point's scenario, whose paths still start from the base's folder.
    Base base = {
        scenario::describe_run(point.scenario), sweep.base_file, {{"record.iterations", "false"}}, point.name, folder};
    trials.point(base, {});  // what is wrong with it comes out here
    schemes.push_back({std::move(base), {}, space_of_point(sweep, point)});
    values.push_back(point.values);
  }
  const jobs::JobsFolder in_use(folder, jobs::JobsFolder::Use::alone, {});
  tune(trials, schemes, options);
  if (!schemes.empty()) {
    results::write_whole((folder / tried_file).string(), tried_csv(trials, schemes, plan.columns, values));
  }
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    jobs::SweepPoint& point = plan.points[i];
    const Halving search = search_of(trials, schemes[i]);
    if (search.best() == nullptr || !std::isfinite(mean_of(search.best()->scores.at(1)))) {
      throw process::RunFailed(point.name + ": no run of its tuning came to its end");
    }
    const std::string name = point.scenario.name;
    const std::vector<scenario::Override> best = best_of(schemes[i], search);
    point.scenario = scenario::parse_scenario(systems, schemes[i].base.text, sweep.base_file, best);
    point.scenario.name = name;
    for (const scenario::Override& change : best) {
      if (i == 0) plan.columns.push_back(change.path);
      point.values.push_back(change.value);
    }
  }
  return plan;
}

}  // namespace ddl::advise

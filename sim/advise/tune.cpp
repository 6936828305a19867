#include "sim/advise/tune.hpp"

#include <algorithm>
#include <set>

#include "sim/advise/tried.hpp"
#include "sim/jobs/sweep/plan.hpp"
#include "sim/results/writing/whole_file.hpp"

namespace ddl::advise {
namespace {

namespace fs = std::filesystem;

std::string tuned_name(const std::string& name) { return name + "_tuned"; }

}  // namespace

TuneStudy::TuneStudy(Registry systems, TuneRequest request)
    : systems_(std::move(systems)), request_(std::move(request)), lab_(systems_, request_.goal) {
  std::vector<std::string> lines;
  std::vector<TunedScheme> schemes;
  std::set<std::string> names;
  for (const std::string& file : request_.files) {
    try {
      const std::string text = scenario::scenario_text(file);
      scenario::Scenario scenario = scenario::parse_scenario(systems_, text, file, request_.overrides);
      check_tunable(scenario, request_.goal);
      scenario.name = jobs::changed_name(scenario.name, request_.overrides);
      if (!names.insert(scenario.name).second) {
        throw scenario::ScenarioErrors(
            {file + ": $.name: is " + scenario.name + ", as an earlier scenario's is; expected another name"});
      }
      const fs::path folder = fs::path(request_.out) / scenario.name;
      std::vector<scenario::Override> set = request_.overrides;
      set.push_back({"record.iterations", "false"});
      const std::size_t base = lab_.add({text, file, set, scenario.name, folder / "tuning"});
      const SearchSpace space = space_of(scenario, request_.over);
      for (const SearchSpace::Axis& axis : space.axes) {
        for (const std::string& value : axis.values) {
          std::vector<scenario::Override> all = set;
          all.push_back({axis.path, value});
          scenario::parse_scenario(systems_, text, file, all);  // throws, if it cannot be
        }
      }
      schemes.push_back({base, {}, space});
      sources_.push_back({std::move(scenario), text, folder});
    } catch (const scenario::ScenarioErrors& errors) {
      lines.insert(lines.end(), errors.lines.begin(), errors.lines.end());
    }
  }
  if (!lines.empty()) throw scenario::ScenarioErrors(lines);
  tuning_ = std::make_unique<Tuning>(lab_, std::move(schemes), tuning_seeds(request_.seeds));
}

void TuneStudy::run(const LabOptions& options) {
  std::deque<jobs::JobsFolder> in_use;
  for (const Source& source : sources_) {
    in_use.emplace_back(source.folder / "tuning", jobs::JobsFolder::Use::alone, std::vector<std::string>{});
  }
  tuning_->run(options);
  const std::vector<TunedScenario> tuned = results();
  for (std::size_t i = 0; i < tuned.size(); ++i) write(tuned[i], i);
}

std::vector<TunedScenario> TuneStudy::results() {
  std::vector<TunedScenario> list;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    TunedScenario tuned;
    tuned.name = sources_[i].scenario.name;
    tuned.file = sources_[i].scenario.file;
    tuned.folder = sources_[i].folder;
    tuned.search = tuning_->search_of(i);
    tuned.space = tuning_->space_of(i);
    tuned.planned = runs_of(tuned.space, tuning_->seeds().size());
    for (const Halving::Tried& tried : tuned.search.tried) {
      tuned.runs += tried.scores.size();
      for (std::size_t seed = 0; seed < tried.scores.size(); ++seed) {
        tuned.failed +=
            lab_.known(tuning_->trial_of(i, tried.setting, tuning_->seeds()[seed]))->failure.empty() ? 0 : 1;
      }
    }
    if (tuned.search.best) {
      const Halving::Tried& best = tuned.search.tried[*tuned.search.best];
      tuned.best = overrides_of(tuned.space, best.setting);
      for (std::size_t seed = 0; seed < best.scores.size(); ++seed) {
        const TrialResult& trial = *lab_.known(tuning_->trial_of(i, best.setting, tuning_->seeds()[seed]));
        tuned.at_end.push_back(trial.at_end);
        tuned.times_s.push_back(trial.time_s);
      }
      tuned.tuned_file = (tuned.folder / (tuned_name(tuned.name) + ".json")).string();
    }
    list.push_back(std::move(tuned));
  }
  return list;
}

void TuneStudy::write(const TunedScenario& tuned, std::size_t number) {
  TriedTable tried({}, tuned.space, request_.goal);
  tried.add({}, *tuning_, number, lab_);
  results::write_whole((tuned.folder / tried_file).string(), tried.csv());
  if (tuned.tuned_file.empty()) return;
  const Source& source = sources_[number];
  std::vector<scenario::Override> all = request_.overrides;
  all.insert(all.end(), tuned.best.begin(), tuned.best.end());
  scenario::Scenario best = scenario::parse_scenario(systems_, source.text, source.scenario.file, all);
  best.name = tuned_name(tuned.name);
  write_scenario(std::move(best), tuned.tuned_file);
}

}  // namespace ddl::advise

#include "sim/advise/tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/check.hpp"
#include "sim/results/text/setting_column.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/scenario/checks/checks.hpp"
#include "sim/scenario/reading/units.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::advise {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t first_tuning_seed = 1000001;
constexpr double evaluations_of_short_run = 3;

// At commas that are neither in brackets nor in quotes.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    if (!quoted && (letter == '[' || letter == '{')) ++depth;
    if (!quoted && (letter == ']' || letter == '}')) --depth;
    if (letter == ',' && !quoted && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

std::string relative_to(const fs::path& folder, const std::string& path) {
  const std::string found = fs::proximate(fs::weakly_canonical(path), fs::weakly_canonical(folder)).string();
  return found.empty() ? path : found;
}

// A share of the run, evaluated often enough to tell how it did.
std::vector<scenario::Override> shortened(const scenario::Scenario& own, double length) {
  const auto seconds = [](double value) {
    return '"' + scenario::write_quantity(value, scenario::Dimension::time) + '"';
  };
  const double length_s = length * own.stop.time->value, most = length_s / evaluations_of_short_run;
  std::vector<scenario::Override> changes = {{"stop.time", seconds(length_s)}};
  if (own.evaluate.every && own.evaluate.every->value > most) changes.push_back({"evaluate.every", seconds(most)});
  return changes;
}

}  // namespace

std::vector<std::uint64_t> tuning_seeds(std::size_t count) {
  std::vector<std::uint64_t> seeds(count);
  std::iota(seeds.begin(), seeds.end(), first_tuning_seed);
  return seeds;
}

void check_not_for_tuning(const std::vector<std::uint64_t>& seeds, std::size_t count, const std::string& where) {
  for (const std::uint64_t seed : seeds) {
    if (seed < first_tuning_seed || seed >= first_tuning_seed + count) continue;
    throw InputError(where + ": " + std::to_string(seed) + " is a seed for tuning; expected others");
  }
}

Trial trial_of(Trials& trials, const Scheme& scheme, const SearchRun& run) {
  std::vector<scenario::Override> changes = joined(scheme.changes, overrides_of(scheme.space, run.setting));
  if (run.length < 1) {
    changes = joined(std::move(changes), shortened(trials.scenario(trials.point(scheme.base, {})), run.length));
  }
  return {trials.point(scheme.base, changes), first_tuning_seed + run.seed};
}

Halving search_of(Trials& trials, const Scheme& scheme) {
  return halve(scheme.space, [&](const SearchRun& run) {
    const TrialResult* known = trials.known(trial_of(trials, scheme, run));
    return known == nullptr ? std::nullopt : std::optional(known->score);
  });
}

std::vector<scenario::Override> best_of(const Scheme& scheme, const Halving& search) {
  const Halving::Tried* best = search.best();
  return best == nullptr ? scheme.changes : joined(scheme.changes, overrides_of(scheme.space, best->setting));
}

std::vector<MadeRun> made_runs(Trials& trials, const Scheme& scheme, const Halving& search) {
  std::vector<MadeRun> runs;
  for (const Halving::Tried& tried : search.tried) {
    for (const auto& [length, scores] : tried.scores) {
      for (std::size_t seed = 0; seed < scores.size(); ++seed) {
        const Trial trial = trial_of(trials, scheme, {tried.setting, length, seed});
        runs.push_back({&tried, length, trial.seed, trials.known(trial)});
      }
    }
  }
  return runs;
}

std::vector<BudgetedRun> open_runs(Trials& trials, const std::vector<Scheme>& schemes,
                                   const std::vector<std::size_t>& order) {
  std::vector<std::pair<std::size_t, BudgetedRun>> open;  // with its place in its search
  for (const std::size_t i : order) {
    const Halving search = search_of(trials, schemes[i]);
    for (const SearchRun& run : search.open) {
      const auto place = static_cast<std::size_t>(&run - search.open.data());
      open.push_back({place, {trial_of(trials, schemes[i], run), i, run.length}});
    }
  }
  std::ranges::stable_sort(open, {}, [](const auto& one) { return std::pair(one.second.length, one.first); });
  std::vector<BudgetedRun> runs;
  for (const auto& [place, run] : open) runs.push_back(run);
  return runs;
}

void tune(Trials& trials, const std::vector<Scheme>& schemes, const TrialOptions& options) {
  std::vector<std::size_t> order(schemes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<Trial> open;
  do {
    open.clear();
    for (const BudgetedRun& run : open_runs(trials, schemes, order)) open.push_back(run.trial);
  } while (!open.empty() && trials.run(open, options));
}

std::string tried_csv(Trials& trials, const std::vector<Scheme>& schemes, const std::vector<std::string>& columns,
                      const std::vector<std::vector<std::string>>& values) {
  std::vector<std::string> paths = columns;
  for (const SearchSpace::Axis& axis : schemes.front().space.axes) paths.push_back(axis.path);
  if (schemes.front().space.rate) paths.emplace_back(rate_path);
  std::vector<std::vector<std::string>> settings(paths.size());  // by path, then by row
  std::vector<results::TableLine> rows;
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    const Halving search = search_of(trials, schemes[i]);
    for (const MadeRun& run : made_runs(trials, schemes[i], search)) {
      std::vector<std::string> own = values.empty() ? std::vector<std::string>() : values[i];
      for (const auto& change : overrides_of(schemes[i].space, run.tried->setting)) own.push_back(change.value);
      for (std::size_t path = 0; path < paths.size(); ++path) settings[path].push_back(own.at(path));
      const auto& there = run.result->target;
      rows.push_back({std::to_string(run.seed),
                      {"", run.result->score},
                      {"", run.result->at_end},
                      {"", there ? std::optional(there->time_s) : std::nullopt},
                      {"", there ? std::optional(there->bytes) : std::nullopt},
                      run.result->failure,
                      run.tried == search.best() ? "1" : "0"});
    }
  }
  results::Table table;
  table.rows.resize(rows.size());
  for (std::size_t path = 0; path < paths.size(); ++path) {
    const results::SettingColumn setting = results::setting_column(paths[path], settings[path]);
    table.columns.push_back(setting.column);
    for (std::size_t row = 0; row < rows.size(); ++row) table.rows[row].push_back(setting.cells[row]);
  }
  const std::string word(trials.goal().metric.word);
  for (const std::string& key : {std::string("seed"), std::string("score"), word, std::string("time_to_target_s"),
                                 std::string("bytes_to_target"), std::string("failure"), std::string("best")}) {
    table.columns.push_back({key, key});
  }
  for (std::size_t row = 0; row < rows.size(); ++row) std::ranges::copy(rows[row], std::back_inserter(table.rows[row]));
  return results::csv_text(table);
}

OverText over_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  OverText over{text.substr(0, equals), {}};
  if (over.path.starts_with("$.")) over.path = over.path.substr(2);
  if (over.path.empty() || (equals == std::string::npos && over.path != rate_path)) {
    throw InputError("--over " + text + ": has no values; expected PATH=VALUE,VALUE,... such as " +
                     "algorithm.local_steps=4,16");
  }
  if (equals == std::string::npos) return over;
  over.values = parts_of(text.substr(equals + 1));
  for (std::size_t i = 0; i < over.values.size(); ++i) {
    if (over.values[i].empty())
      throw InputError("--over " + text + ": has an empty value; expected one between commas");
    if (std::ranges::count(over.values, over.values[i]) > 1) {
      throw InputError("--over " + text + ": has " + over.values[i] + " twice; expected each value once");
    }
  }
  return over;
}

SearchSpace space_of(const scenario::Scenario& scenario, const std::vector<OverText>& over, std::size_t seeds) {
  SearchSpace space;
  space.rungs = rungs_by_seeds(seeds);
  const auto own_rate = [&] {
    return std::visit([](const auto& params) { return params.learning_rate; }, scenario.training.optimizer);
  };
  for (const OverText& one : over) {
    if (one.values.empty()) {
      space.rate = own_rate();
    } else {
      space.axes.push_back({one.path, one.values});
    }
  }
  if (over.empty()) space.rate = own_rate();
  return space;
}

namespace {

// A platform has no task of its own: what the changes say of evaluations is all there is.
scenario::Scenario of_any_task(const Registry& systems, std::vector<scenario::Override> changes) {
  std::erase_if(changes, [](const scenario::Override& change) { return !change.path.starts_with("evaluate"); });
  const char* text =
      R"({"platform": {"workers": 1, "bandwidth": "1Gbps"}, "algorithm": "single", "stop": {"time": "1s"}})";
  return scenario::parse_scenario(systems, text, "", changes);
}

}  // namespace

Goal goal_of(const Registry& systems, const std::string& file, const std::vector<scenario::Override>& changes,
             std::optional<double> target) {
  Goal goal{target};
  try {
    const bool is_platform = std::filesystem::path(file).extension() == ".xml";
    goal.metric = (is_platform ? of_any_task(systems, changes) : scenario::read_scenario(systems, file, changes))
                      .evaluate.judged_by();
  } catch (const scenario::ScenarioErrors&) {  // which are told where the file is used
  }
  check_target(goal, "--target");
  return goal;
}

void check_target(const Goal& goal, const std::string& where) {
  if (!goal.target || (*goal.target > 0 && *goal.target <= goal.metric.most)) return;
  throw InputError(fmt::format("{}: {:g} is no {} that a run could reach; expected more than 0{}", where, *goal.target,
                               goal.metric.word, goal.metric.less_is_better ? "" : " and at most 1"));
}

void check_tunable(const scenario::Scenario& scenario, const Goal& goal) {
  scenario::Findings findings(scenario.file);
  if (scenario.model.none()) {
    findings.add("$.model", "is none, and a run without a model learns nothing; expected one that learns");
  } else if (!scenario.evaluate.every && !scenario.evaluate.every_iterations) {
    findings.add("$.evaluate", "says neither every nor every_iterations; expected when " +
                                   std::string(goal.metric.word) + " is measured");
  }
  const scenario::Metric& metric = scenario.evaluate.judged_by();
  if (!scenario.model.none() && metric.word != goal.metric.word) {
    findings.add("$.evaluate.metric", fmt::format("is {}, but {} is what others are judged by; expected one for all",
                                                  metric.word, goal.metric.word));
  }
  const auto& end = goal.metric.less_is_better ? scenario.stop.loss : scenario.stop.accuracy;
  if (goal.target && end && !goal.metric.reaches(*end, *goal.target)) {
    findings.add(fmt::format("$.stop.{}", goal.metric.word),
                 "ends runs before they reach the target; expected the target, or what is better");
  }
  if (!findings.empty()) throw scenario::ScenarioErrors(findings.lines());
}

void write_scenario(scenario::Scenario scenario, const fs::path& file) {
  scenario.expect.clear();  // of the settings that it had
  if (auto* hosts = std::get_if<scenario::FilePlatform>(&scenario.platform.hosts)) {
    hosts->file = relative_to(file.parent_path(), scenario::resolve_path(scenario, hosts->file));
  }
  for (std::string* path : scenario::content_paths(scenario)) {
    *path = relative_to(file.parent_path(), scenario::resolve_path(scenario, *path));
  }
  if (scenario.program) {
    scenario.program->folder = relative_to(file.parent_path(), scenario::program_folder(scenario));
  }
  results::write_whole(file.string(), scenario::describe(scenario) + "\n");
}

}  // namespace ddl::advise

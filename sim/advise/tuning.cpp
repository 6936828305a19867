#include "sim/advise/tuning.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/check.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/scenario/checks.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::advise {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t first_tuning_seed = 1000001;

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

}  // namespace

std::vector<std::uint64_t> tuning_seeds(std::size_t count) {
  std::vector<std::uint64_t> seeds;
  for (std::size_t i = 0; i < count; ++i) seeds.push_back(first_tuning_seed + i);
  return seeds;
}

LabTrial Tuning::trial_of(std::size_t scheme, const SearchSetting& setting, std::uint64_t seed) const {
  const TunedScheme& one = schemes_.at(scheme);
  std::vector<scenario::Override> changes = one.changes;
  for (scenario::Override& change : overrides_of(one.space, setting)) changes.push_back(std::move(change));
  return {lab_.point(one.base, changes), seed};
}

Halving Tuning::search_of(std::size_t scheme) const {
  return halve(space_of(scheme), seeds_, [&](const SearchSetting& setting, std::uint64_t seed) {
    const TrialResult* known = lab_.known(trial_of(scheme, setting, seed));
    return known == nullptr ? std::nullopt : std::optional(known->score);
  });
}

std::vector<scenario::Override> Tuning::best_of(std::size_t scheme) const {
  std::vector<scenario::Override> changes = schemes_.at(scheme).changes;
  const Halving search = search_of(scheme);
  if (!search.best) return changes;
  for (scenario::Override& change : overrides_of(space_of(scheme), search.tried[*search.best].setting)) {
    changes.push_back(std::move(change));
  }
  return changes;
}

std::vector<LabTrial> Tuning::open() const {
  std::vector<Halving> searches;
  std::size_t most = 0;
  for (std::size_t scheme = 0; scheme < schemes(); ++scheme) {
    searches.push_back(search_of(scheme));
    most = std::max(most, searches.back().open.size());
  }
  std::vector<LabTrial> trials;
  for (std::size_t next = 0; next < most; ++next) {
    for (std::size_t scheme = 0; scheme < schemes(); ++scheme) {
      if (next >= searches[scheme].open.size()) continue;
      const Halving::Open& open = searches[scheme].open[next];
      trials.push_back(trial_of(scheme, open.setting, open.seed));
    }
  }
  return trials;
}

bool Tuning::run(const LabOptions& options) const {
  for (std::vector<LabTrial> trials = open(); !trials.empty(); trials = open()) {
    if (!lab_.run(trials, options)) return false;
  }
  return true;
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

SearchSpace space_of(const scenario::Scenario& scenario, const std::vector<OverText>& over) {
  SearchSpace space;
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

void check_tunable(const scenario::Scenario& scenario, const Goal& goal) {
  scenario::Findings findings(scenario.file);
  if (scenario.model.none()) {
    findings.add("$.model", "is none, and a run without a model learns nothing; expected one that learns");
  } else if (!scenario.evaluate.every && !scenario.evaluate.every_iterations) {
    findings.add("$.evaluate", "says neither every nor every_iterations; expected when " +
                                   std::string(goal.metric.word) + " is measured");
  }
  if (goal.target && !goal.metric.less_is_better && !scenario.stop.time && scenario.stop.accuracy &&
      !goal.metric.reaches(*scenario.stop.accuracy, *goal.target)) {
    findings.add("$.stop.accuracy", "is below the target, so that no run gets there; expected at least the target");
  }
  if (!findings.empty()) throw scenario::ScenarioErrors(findings.lines());
}

void write_scenario(scenario::Scenario scenario, const fs::path& file) {
  scenario.expect.clear();  // of the settings that it had
  if (auto* hosts = std::get_if<scenario::FilePlatform>(&scenario.platform.hosts)) {
    hosts->file = relative_to(file.parent_path(), scenario::resolve_path(scenario, hosts->file));
  }
  if (!scenario.data.path.empty()) {
    scenario.data.path = relative_to(file.parent_path(), scenario::resolve_path(scenario, scenario.data.path));
  }
  results::write_whole(file.string(), scenario::describe(scenario) + "\n");
}

}  // namespace ddl::advise

#include "sim/results/reading/groups.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "core/base/check.hpp"
#include "sim/results/reading/shown_values.hpp"

namespace ddl::results {
namespace {

constexpr std::string_view algorithm_prefix = "algorithm.";
constexpr std::string_view algorithm_name = "algorithm.name";
constexpr std::string_view rate_path = "training.optimizer.learning_rate";

constexpr double same_time = 1e-9;  // relative: versions of SimGrid round otherwise

using SettingsByPath = std::map<std::string, std::string>;  // settings by path

std::string value_at(const SettingsByPath& table, const std::string& path) {
  const auto found = table.find(path);
  return found == table.end() ? "" : found->second;
}

// All paths of all groups, in the order in which they first come.
std::vector<std::string> all_paths(const std::vector<std::vector<Setting>>& groups) {
  std::vector<std::string> paths;
  std::set<std::string> seen;
  for (const auto& settings : groups) {
    for (const Setting& setting : settings) {
      if (seen.insert(setting.path).second) paths.push_back(setting.path);
    }
  }
  return paths;
}

// How a network is simulated differs among simulated runs only; measured ones have no such setting.
bool differs(const std::vector<const SettingsByPath*>& tables, const std::string& path) {
  const SettingsByPath* first = nullptr;
  for (const SettingsByPath* table : tables) {
    if (is_of_network_model(path) && !table->contains(path)) continue;
    if (first == nullptr) first = table;
    if (value_at(*table, path) != value_at(*first, path)) return true;
  }
  return false;
}

// Where something lies says nothing if the same lies there; and what lies there need not be told if the paths tell.
bool is_needless(const std::vector<SettingsByPath>& tables, const std::string& path) {
  for (const auto& setting : paths_and_contents) {
    if (path != setting.path && path != setting.content) continue;
    std::map<std::string, std::set<std::string>> contents;  // by path
    std::set<std::string> all;
    for (const SettingsByPath& table : tables) {
      const std::string content = value_at(table, std::string(setting.content));
      contents[value_at(table, std::string(setting.path))].insert(content);
      all.insert(content);
    }
    if (path == setting.path) return all.size() == 1;
    return std::ranges::all_of(contents, [](const auto& lain) { return lain.second.size() == 1; });
  }
  return false;
}

// Of a digest the name of what has it; nothing of any other setting, or where the path tells it by itself.
std::string name_of_content(const SettingsByPath& table, const std::string& path,
                            const std::vector<std::string>& varied) {
  for (const auto& setting : paths_and_contents) {
    if (path != setting.content || std::ranges::find(varied, setting.path) != varied.end()) continue;
    const std::filesystem::path lay = value_at(table, std::string(setting.path));
    return lay.empty() ? "" : (lay.has_filename() ? lay : lay.parent_path()).filename().string() + " ";
  }
  return "";
}

// The algorithm's settings that differ among the groups that use it.
std::vector<std::string> schemes_of(const std::vector<SettingsByPath>& tables, const std::vector<std::string>& paths) {
  std::map<std::string, std::vector<const SettingsByPath*>> by_name;
  for (const SettingsByPath& table : tables) by_name[value_at(table, std::string(algorithm_name))].push_back(&table);
  std::vector<std::string> schemes;
  for (const SettingsByPath& table : tables) {
    const std::string name = value_at(table, std::string(algorithm_name));
    std::string scheme = name;
    for (const std::string& path : paths) {
      if (!path.starts_with(algorithm_prefix) || path == algorithm_name || !differs(by_name[name], path)) continue;
      const std::string value = value_at(table, path);
      scheme += " " + path.substr(algorithm_prefix.size()) + "=" + (value.empty() ? "none" : value);
    }
    schemes.push_back(scheme);
  }
  return schemes;
}

// Whether `path` follows from the system: servers come with the systems that need them.
bool follows_scheme(const std::vector<SettingsByPath>& tables, const std::vector<std::string>& schemes,
                    const std::string& path) {
  if (path != "platform.servers") return false;
  std::map<std::string, std::string> of_scheme;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::string value = value_at(tables[i], path);
    if (of_scheme.emplace(schemes[i], value).first->second != value) return false;
  }
  return true;
}

// Whether every scheme has one learning rate in every condition, and schemes of one condition differ in it, as where
// each was tuned. The rate is then the scheme's own, and those of other rates are to be compared with it. A rate that
// goes in step with another setting, alike for all schemes, is a condition as that one is.
bool rate_is_own(const SettingNames& names) {
  const auto column = std::ranges::find(names.varied, rate_path);
  if (column == names.varied.end()) return false;
  const auto rate_at = static_cast<std::size_t>(column - names.varied.begin());
  std::map<std::vector<std::string>, std::map<std::string, std::string>> rates;  // by condition, then scheme
  for (std::size_t i = 0; i < names.schemes.size(); ++i) {
    std::vector<std::string> condition;
    for (std::size_t c = 0; c < names.varied.size(); ++c) {
      if (c != rate_at && names.varied[c] != "seed") condition.push_back(names.values[i][c]);
    }
    const std::string& rate = names.values[i][rate_at];
    if (rates[std::move(condition)].emplace(names.schemes[i], rate).first->second != rate) return false;
  }
  return std::ranges::any_of(rates, [](const auto& of_condition) {
    const auto& [first_scheme, first_rate] = *of_condition.second.begin();
    return std::ranges::any_of(of_condition.second,
                               [&](const auto& of_scheme) { return of_scheme.second != first_rate; });
  });
}

// Takes the rates out of the conditions. Where there is no other condition, names tell them: seeds are none.
void give_rates_to_schemes(SettingNames& names) {
  const auto rate_at = std::ranges::find(names.varied, rate_path) - names.varied.begin();
  names.varied.erase(names.varied.begin() + rate_at);
  const bool told_by_names = std::ranges::all_of(names.varied, [](const auto& path) { return path == "seed"; });
  for (std::size_t i = 0; i < names.schemes.size(); ++i) {
    const auto rate = names.values[i].begin() + rate_at;
    if (told_by_names) names.schemes[i] += " learning_rate=" + *rate;
    names.values[i].erase(rate);
  }
}

// The digest tells what was learned. Of results with another kind of digest, time alone is told.
bool have_same_outcome(const FinishedRun& a, const FinishedRun& b) {
  if (a.schema_version == b.schema_version && a.digest != b.digest) return false;
  const double one = a.measure("simulated_seconds").value_or(0), two = b.measure("simulated_seconds").value_or(0);
  return std::abs(one - two) <= same_time * std::max(one, two);
}

// Throws unless runs of one seed are the same run; leaves one of each, and all measured ones, which are repetitions.
void drop_repeated(std::vector<FinishedRun>& runs) {
  std::stable_sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.seed < b.seed; });
  for (std::size_t i = 1; i < runs.size();) {
    if (runs[i].seed != runs[i - 1].seed || runs[i].measured) {
      ++i;
      continue;
    }
    if (!have_same_outcome(runs[i - 1], runs[i])) {
      throw InputError(runs[i].folder.string() + ": is another result of the scenario and seed of " +
                       runs[i - 1].folder.string() + " (another program?); expected one of the two, or --runs");
    }
    runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::vector<double> values_of(const RunGroup& group, std::string_view key) {
  std::vector<double> values;
  for (const FinishedRun& run : group.runs) {
    if (const auto value = run.measure(key)) values.push_back(*value);
  }
  return values;
}

}  // namespace

std::vector<Setting> by_content(std::vector<Setting> settings) {
  for (const PathAndContent& setting : paths_and_contents) {
    if (std::ranges::find(settings, setting.content, &Setting::path) == settings.end()) continue;
    std::erase_if(settings, [&](const Setting& other) { return other.path == setting.path; });
  }
  return settings;
}

std::optional<Estimate> RunGroup::estimate_of(std::string_view key) const { return estimate(values_of(*this, key)); }

std::size_t RunGroup::count_with(std::string_view key) const { return values_of(*this, key).size(); }

std::size_t RunGroup::diverged() const {
  return static_cast<std::size_t>(std::ranges::count(runs, "diverged", &FinishedRun::stopped_by));
}

std::size_t RunGroup::collapsed() const {
  return static_cast<std::size_t>(std::ranges::count_if(runs, [](const FinishedRun& run) {
    const auto best = run.measure(best_of(scenario::by_accuracy)), last = run.measure(final_of(scenario::by_accuracy));
    return best && last && *last < 0.5 * *best;
  }));
}

std::optional<double> difference_p(const RunGroup& a, const RunGroup& b, std::string_view key) {
  const auto first = a.estimate_of(key), second = b.estimate_of(key);
  if (!first || !second || first->count < least_seeds || second->count < least_seeds) return std::nullopt;
  std::map<std::uint64_t, double> of_seed;
  for (const FinishedRun& run : a.runs) {
    if (const auto value = run.measure(key)) of_seed[run.seed] = *value;
  }
  std::vector<double> differences;
  for (const FinishedRun& run : b.runs) {
    const auto value = run.measure(key);
    if (const auto same = of_seed.find(run.seed); value && same != of_seed.end()) {
      differences.push_back(*value - same->second);
    }
  }
  return differences.size() >= least_seeds ? paired_p(differences) : welch_p(*first, *second);
}

double most_of_measure(std::string_view key) {
  if (const scenario::Metric* metric = metric_of(key)) return metric->most;
  const bool is_share = key.starts_with("idle_fraction") || key.ends_with("utilisation");
  return is_share ? 1 : std::numeric_limits<double>::infinity();
}

std::string RunGroup::label(const std::vector<std::string>& columns) const {
  std::string text = scheme;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!varied.at(i).empty()) text += ", " + columns[i] + " " + varied[i];
  }
  return text;
}

SettingNames name_settings(const std::vector<std::vector<Setting>>& groups) {
  SettingNames names;
  if (groups.empty()) return names;
  std::vector<SettingsByPath> tables;
  for (const auto& settings : groups) {
    SettingsByPath& table = tables.emplace_back();
    for (const Setting& setting : settings) table[setting.path] = setting.value;
  }
  std::vector<const SettingsByPath*> all;
  for (const SettingsByPath& table : tables) all.push_back(&table);
  const std::vector<std::string> paths = all_paths(groups);
  names.schemes = schemes_of(tables, paths);
  for (const std::string& path : paths) {
    if (path.starts_with(algorithm_prefix) || !differs(all, path) || is_needless(tables, path) ||
        follows_scheme(tables, names.schemes, path)) {
      continue;
    }
    names.varied.push_back(path);
  }
  names.values.resize(tables.size());
  for (const std::string& path : names.varied) {
    std::vector<std::string> column;
    for (const SettingsByPath& table : tables) column.push_back(value_at(table, path));
    const std::vector<std::string> shown = shown_values(column);
    for (std::size_t i = 0; i < tables.size(); ++i)
      names.values[i].push_back(name_of_content(tables[i], path, names.varied) + shown[i]);
  }
  if (rate_is_own(names)) give_rates_to_schemes(names);
  return names;
}

GroupedRuns group_runs(std::vector<FinishedRun> runs, bool over_seeds) {
  GroupedRuns result;
  std::map<std::vector<Setting>, std::size_t> known;
  for (FinishedRun& run : runs) {
    std::vector<Setting> key = by_content(run.settings);
    if (!over_seeds) key.push_back({"seed", std::to_string(run.seed)});
    const auto [place, fresh] = known.emplace(std::move(key), result.groups.size());
    if (fresh) result.groups.emplace_back();
    result.groups[place->second].runs.push_back(std::move(run));
  }
  std::vector<std::vector<Setting>> settings;
  for (RunGroup& group : result.groups) {
    drop_repeated(group.runs);
    settings.push_back(group.runs.front().settings);
    if (!over_seeds) settings.back().push_back({"seed", std::to_string(group.runs.front().seed)});
  }
  SettingNames names = name_settings(settings);
  result.varied = std::move(names.varied);
  for (std::size_t i = 0; i < result.groups.size(); ++i) {
    result.groups[i].scheme = names.schemes[i];
    result.groups[i].varied = std::move(names.values[i]);
  }
  return result;
}

}  // namespace ddl::results

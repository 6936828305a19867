#include "sim/results/reading/groups.hpp"

#include <fmt/format.h>

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
constexpr std::string_view optimizer_prefix = "training.optimizer.";

// What is tuned of a step, and so may be a scheme's own: its rate, and how that falls.
bool is_of_rate(const std::string& path) {
  if (!path.starts_with(optimizer_prefix)) return false;
  const std::string setting = path.substr(optimizer_prefix.size());
  return setting == "learning_rate" || setting.starts_with("schedule");
}

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

std::vector<std::string> column_of(const std::vector<SettingsByPath>& tables, std::string_view path) {
  std::vector<std::string> column;
  for (const SettingsByPath& table : tables) column.push_back(value_at(table, std::string(path)));
  return column;
}

// Whether groups with equal keys have equal values, so that the keys tell them apart as well as the values do.
bool follows(const std::vector<std::string>& values, const std::vector<std::string>& keys) {
  std::map<std::string, std::string> value_of;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (value_of.emplace(keys[i], values[i]).first->second != values[i]) return false;
  }
  return true;
}

// A file is known by its path and by its content's digest. A path is left out where all files have one content, a
// digest where the paths tell the contents apart.
bool is_redundant(const std::vector<SettingsByPath>& tables, const std::string& path) {
  for (const auto& file : paths_and_contents) {
    const std::vector<std::string> digests = column_of(tables, file.content);
    if (path == file.path) return std::set(digests.begin(), digests.end()).size() == 1;
    if (path == file.content) return follows(digests, column_of(tables, file.path));
  }
  return false;
}

// The file's name, before its digest; empty for all other settings, and where the paths are told, too.
std::string name_of_content(const SettingsByPath& table, const std::string& path,
                            const std::vector<std::string>& varied) {
  for (const auto& setting : paths_and_contents) {
    if (path != setting.content || std::ranges::find(varied, setting.path) != varied.end()) continue;
    const std::filesystem::path file = value_at(table, std::string(setting.path));
    return file.empty() ? "" : (file.has_filename() ? file : file.parent_path()).filename().string() + " ";
  }
  return "";
}

// The algorithm's settings that differ among the groups that use it. What one does not have is not said of it.
std::vector<std::string> schemes_of(const std::vector<SettingsByPath>& tables, const std::vector<std::string>& paths) {
  std::map<std::string, std::vector<const SettingsByPath*>> by_name;
  for (const SettingsByPath& table : tables) by_name[value_at(table, std::string(algorithm_name))].push_back(&table);
  std::map<std::string, std::vector<std::string>> shown;  // by path, then by table
  for (const std::string& path : paths) {
    if (path.starts_with(algorithm_prefix)) shown[path] = shown_values(column_of(tables, path));
  }
  std::vector<std::string> schemes;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::string name = value_at(tables[i], std::string(algorithm_name));
    std::string scheme = name;
    for (const std::string& path : paths) {
      if (!path.starts_with(algorithm_prefix) || path == algorithm_name || !differs(by_name[name], path)) continue;
      const std::string value = value_at(tables[i], path);
      if (!value.empty() && value != "none")
        scheme += " " + path.substr(algorithm_prefix.size()) + "=" + shown[path][i];
    }
    schemes.push_back(scheme);
  }
  return schemes;
}

// A row of `values` in two parts: the columns that are kept, but for the seed, and those that are not.
std::pair<std::vector<std::string>, std::vector<std::string>> divided(const std::vector<std::string>& paths,
                                                                      const std::vector<std::string>& values,
                                                                      const std::set<std::string>& left_out) {
  std::pair<std::vector<std::string>, std::vector<std::string>> parts;
  for (std::size_t c = 0; c < paths.size(); ++c) {
    if (paths[c] == "seed") continue;
    (left_out.contains(paths[c]) ? parts.second : parts.first).push_back(values[c]);
  }
  return parts;
}

// Whether every scheme has one value of each of these settings in every condition, and schemes of one condition differ
// in them, as where each was tuned. They are then the scheme's own, and those of other values are to be compared with
// it. A rate that goes in step with another setting, alike for all schemes, is a condition as that one is.
bool are_own(const SettingNames& names, const std::set<std::string>& settings) {
  if (settings.empty()) return false;
  std::map<std::vector<std::string>, std::map<std::string, std::vector<std::string>>> own;  // by condition, then scheme
  for (std::size_t i = 0; i < names.schemes.size(); ++i) {
    auto [condition, values] = divided(names.varied, names.values[i], settings);
    if (own[std::move(condition)].emplace(names.schemes[i], values).first->second != values) return false;
  }
  return std::ranges::any_of(own, [](const auto& of_condition) {
    const auto& first = of_condition.second.begin()->second;
    return std::ranges::any_of(of_condition.second, [&](const auto& of_scheme) { return of_scheme.second != first; });
  });
}

// The rate with its schedule, the rate alone, or nothing.
std::set<std::string> own_settings(const SettingNames& names) {
  std::set<std::string> settings;
  for (const std::string& path : names.varied) {
    if (is_of_rate(path)) settings.insert(path);
  }
  if (are_own(names, settings)) return settings;
  std::erase_if(settings, [](const std::string& path) { return !path.ends_with("learning_rate"); });
  return are_own(names, settings) ? settings : std::set<std::string>();
}

// Takes what is the schemes' own out of the conditions. Where there is no other condition, names tell it: seeds are
// none.
void give_to_schemes(SettingNames& names, const std::set<std::string>& settings) {
  const bool told_by_names =
      std::ranges::all_of(names.varied, [&](const auto& path) { return path == "seed" || settings.contains(path); });
  const std::vector<std::string> paths = names.varied;
  std::erase_if(names.varied, [&](const std::string& path) { return settings.contains(path); });
  for (std::size_t i = 0; i < names.schemes.size(); ++i) {
    std::vector<std::string> kept;
    for (std::size_t c = 0; c < paths.size(); ++c) {
      const std::string& value = names.values[i][c];
      if (!settings.contains(paths[c])) {
        kept.push_back(value);
      } else if (told_by_names && !value.empty()) {
        names.own_settings[i] += " " + paths[c].substr(optimizer_prefix.size()) + "=" + value;
      }
    }
    names.schemes[i] += names.own_settings[i];
    names.values[i] = std::move(kept);
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
    const auto best = run.measure(best_of(run.metric)), last = run.measure(final_of(run.metric));
    return best && last && (run.metric.less_is_better ? *last > 2 * *best : *last < 0.5 * *best);
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
    if (path.starts_with(algorithm_prefix) || !differs(all, path) || is_redundant(tables, path)) continue;
    // Servers come with the systems that need them.
    if (path == "platform.servers" && follows(column_of(tables, path), names.schemes)) continue;
    names.varied.push_back(path);
  }
  names.values.resize(tables.size());
  names.own_settings.resize(tables.size());
  for (const std::string& path : names.varied) {
    const std::vector<std::string> shown = shown_values(column_of(tables, path));
    for (std::size_t i = 0; i < tables.size(); ++i)
      names.values[i].push_back(name_of_content(tables[i], path, names.varied) + shown[i]);
  }
  if (const std::set<std::string> own = own_settings(names); !own.empty()) give_to_schemes(names, own);
  return names;
}

namespace {

void check_one_metric(const std::vector<FinishedRun>& runs) {
  for (const FinishedRun& run : runs) {
    const FinishedRun& first = runs.front();
    if (run.metric.word == first.metric.word) continue;
    throw InputError(fmt::format("{} is judged by {} and {} by {}; expected runs of one evaluate.metric",
                                 first.folder.string(), first.metric.word, run.folder.string(), run.metric.word));
  }
}

}  // namespace

GroupedRuns group_runs(std::vector<FinishedRun> runs, bool over_seeds) {
  check_one_metric(runs);
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
    result.groups[i].own_settings = names.own_settings[i];
    result.groups[i].varied = std::move(names.values[i]);
  }
  return result;
}

}  // namespace ddl::results

// Finished runs as a researcher looks at them: replications of one scenario together, named by what tells scenarios
// apart.
#pragma once

#include <string>
#include <vector>

#include "sim/results/reading/finished_run.hpp"
#include "sim/results/reading/statistics.hpp"

namespace ddl::results {

// Runs of one scenario that differ in their seed alone (and in its name and description), or a single run.
struct RunGroup {
  std::vector<FinishedRun> runs;    // by seed
  std::string scheme;               // "ako partitions=4": the algorithm, and its settings that differ among the groups
  std::string own_settings;         // with which `scheme` ends where they were tuned: " learning_rate=0.2"; or nothing
  std::vector<std::string> varied;  // one per column of Comparison::varied

  // Over the runs that have a value; nothing if none has.
  std::optional<Estimate> estimate_of(std::string_view key) const;
  std::size_t count_with(std::string_view key) const;
  std::size_t diverged() const;   // runs
  std::size_t collapsed() const;  // runs whose accuracy ends below half of its best
  // "ako partitions=4, platform.bandwidth 40Mbps".
  std::string label(const std::vector<std::string>& columns) const;
};

// Two-sided p of no difference between two groups in a measure, over runs that have a value: paired by seed, because
// runs of one seed share their start and minibatches, or Welch's if they have fewer than three seeds in common. Nothing
// where one of them has fewer than three.
std::optional<double> difference_p(const RunGroup& a, const RunGroup& b, std::string_view key);

// Of shares and accuracies 1, of all else no limit.
double most_of_measure(std::string_view key);

struct GroupedRuns {
  std::vector<std::string> varied;  // other settings that differ among the groups; not rates of the schemes' own
  std::vector<RunGroup> groups;     // in order of their first run

  // What they are judged by: as the first is.
  const scenario::Metric& metric() const { return groups.front().runs.front().metric; }
};

// Without the paths of what is known by its content: runs that are alike in the rest are of one scenario.
std::vector<Setting> by_content(std::vector<Setting> settings);

// With `over_seeds` replications come together; otherwise each run is a group, with the seed among what is varied.
// A run given twice counts once. Throws InputError if two runs of one scenario and seed have different results, which
// cannot be averaged.
GroupedRuns group_runs(std::vector<FinishedRun> runs, bool over_seeds = true);

// The same for settings alone, one list per group: fills scheme and varied.
struct SettingNames {
  std::vector<std::string> varied;
  std::vector<std::string> schemes;              // by group
  std::vector<std::string> own_settings;         // by group: the end of the scheme
  std::vector<std::vector<std::string>> values;  // by group, then varied
};
SettingNames name_settings(const std::vector<std::vector<Setting>>& groups);

}  // namespace ddl::results

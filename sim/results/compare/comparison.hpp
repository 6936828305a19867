// Results side by side: what each scheme needs to reach an accuracy, where it ends, and whether that is noise.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/results/reading/baseline.hpp"
#include "sim/results/reading/groups.hpp"
#include "sim/results/text/table.hpp"

namespace ddl::results {

struct ComparedMeasure {
  std::string key;    // of FinishedRun::measure
  std::string title;  // "time to 0.8"
  Kind kind;
  bool judged;  // whether schemes are ranked by it
  bool less_is_better;
  std::optional<double> target = std::nullopt;  // of accuracy, of the time to it
};

// A column of the table.
struct ComparedColumn {
  std::optional<std::size_t> measure;  // of Comparison::measures
  std::string key;                     // its own, or the path of a setting, or the key of a text of results
  std::vector<std::string> values;     // of the latter, by group; empty: the group has none
};

// Two groups under one condition, by one measure. Judged only if every run of both has a value.
struct ComparedPair {
  std::size_t measure, better, other;  // indices; `better` by its mean
  double difference;                   // between the means, as a positive number
  // Of no difference (difference_p), corrected for the other pairs under the condition and measure (Holm); none where a
  // group has fewer than three seeds.
  std::optional<double> p;
  bool is_tie() const { return difference == 0; }  // to the last digit
  // Whether the difference may be chance, at 5 %.
  bool within_noise() const { return p && *p >= significance; }
};

// Groups that differ in nothing but the scheme; or all groups, if no two do.
struct Condition {
  std::string label;                // "platform.bandwidth 40Mbps"; empty for all
  std::vector<std::size_t> groups;  // indices
  std::vector<ComparedPair> pairs;  // by measure; the best of all first, then as in `groups`
  // Index of the group with the best mean of a measure, among those whose every run has a value.
  std::vector<std::optional<std::size_t>> best;  // by measure
};

// A measured group and the simulated one of the same scenario.
struct Fidelity {
  std::size_t measured, simulated;  // indices of groups
  struct Row {
    std::string title;
    Kind kind;
    Estimate measured, simulated;
    // Of the simulated mean, as a share of the measured; none where that is 0.
    std::optional<double> error() const;
  };
  std::vector<Row> rows;  // only quantities that both have
};
std::vector<Fidelity> fidelities_of(const GroupedRuns& grouped);

struct Comparison {
  GroupedRuns grouped;
  std::string label;                      // what groups are called by; empty: the scheme
  std::vector<ComparedMeasure> measures;  // of its columns
  std::vector<ComparedColumn> columns;    // targets of any run, then accuracy, time of a step, busiest link, ...
  std::vector<Condition> conditions;
  std::vector<Fidelity> fidelities;                   // by measured group; empty if none has its counterpart
  std::vector<std::optional<std::size_t>> baselines;  // by group, as baselines_of() has them

  bool has_baselines() const;
  // Of a group, beside its baseline; none without one, or where neither gets to the target.
  std::optional<AgainstOne> against_one(std::size_t group, double target) const;
};

// How its reader wants a comparison.
struct ComparisonLook {
  std::vector<std::string> columns{};                          // empty: the usual ones
  std::string label{};                                         // what rows are called by; empty: the scheme
  std::vector<std::pair<std::string, std::string>> renamed{};  // what a row is called instead
};

// `over_seeds` as in group_runs. Of conditions with very many groups only pairs with the best are kept. Throws
// InputError where the look asks for what there is not.
Comparison compare(std::vector<FinishedRun> runs, bool over_seeds, const ComparisonLook& look = {});
// The same of folders, as find_results understands them.
Comparison compare_folders(const std::vector<std::string>& arguments, bool over_seeds, const ComparisonLook& look = {});

// For a terminal of so many letters a line: a row per group, then the best of each condition and what is within noise.
std::string comparison_text(const Comparison& comparison, std::size_t width);
std::string comparison_markdown(const Comparison& comparison);
// A table for each of both tables, and the rest as comments.
std::string comparison_latex(const Comparison& comparison);
// A row per group: scheme, varied settings, runs, then per measure the mean, the ends of its interval, and the count.
std::string comparison_csv(const Comparison& comparison);
// Groups with every figure and pairs with their p.
std::string comparison_json(const Comparison& comparison);

}  // namespace ddl::results

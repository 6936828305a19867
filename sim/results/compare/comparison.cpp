#include "sim/results/compare/comparison.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include "sim/results/compare/chosen_columns.hpp"
#include "sim/results/reading/find_results.hpp"

namespace ddl::results {
namespace {

constexpr std::size_t most_for_all_pairs = 50;

bool better(const ComparedMeasure& measure, double a, double b) { return measure.less_is_better ? a < b : a > b; }

// Of groups whose every run has a value, and came to its end.
std::map<std::size_t, Estimate> estimates(const Condition& condition, const GroupedRuns& grouped,
                                          const std::string& key) {
  std::map<std::size_t, Estimate> found;
  for (const std::size_t index : condition.groups) {
    const RunGroup& group = grouped.groups[index];
    const auto estimate = group.estimate_of(key);
    if (estimate && estimate->count == group.runs.size() && group.diverged() == 0) found.emplace(index, *estimate);
  }
  return found;
}

// For the number of pairs that have a p.
void correct(std::span<ComparedPair> pairs) {
  std::vector<double> p;
  for (const ComparedPair& pair : pairs) {
    if (pair.p) p.push_back(*pair.p);
  }
  const std::vector<double> corrected = holm(p);
  auto next = corrected.begin();
  for (ComparedPair& pair : pairs) {
    if (pair.p) pair.p = *next++;
  }
}

void judge(Condition& condition, const GroupedRuns& grouped, const std::vector<ComparedMeasure>& measures) {
  condition.best.resize(measures.size());
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if (!measures[m].judged) continue;
    const auto found = estimates(condition, grouped, measures[m].key);
    if (found.empty()) continue;
    std::size_t best = found.begin()->first;
    for (const auto& [index, estimate] : found) {
      if (better(measures[m], estimate.mean, found.at(best).mean)) best = index;
    }
    condition.best[m] = best;
    const auto add = [&](std::size_t a, std::size_t b) {
      const Estimate &first = found.at(a), &second = found.at(b);
      const bool swap = better(measures[m], second.mean, first.mean);
      condition.pairs.push_back({m, swap ? b : a, swap ? a : b, std::abs(first.mean - second.mean),
                                 difference_p(grouped.groups[a], grouped.groups[b], measures[m].key)});
    };
    const std::size_t before = condition.pairs.size();
    for (const auto& [index, estimate] : found) {
      if (index != best) add(best, index);
    }
    if (found.size() <= most_for_all_pairs) {
      for (auto a = found.begin(); a != found.end(); ++a) {
        for (auto b = std::next(a); b != found.end(); ++b) {
          if (a->first != best && b->first != best) add(a->first, b->first);
        }
      }
    }
    correct(std::span(condition.pairs).subspan(before));
  }
}

std::vector<Condition> conditions_of(const GroupedRuns& grouped, const std::vector<ComparedMeasure>& measures) {
  std::map<std::vector<std::string>, std::size_t> known;
  std::vector<Condition> conditions;
  std::vector<std::string> shorter;  // labels without keys that a condition lacks, as a star lacks platform.file
  for (std::size_t i = 0; i < grouped.groups.size(); ++i) {
    // Runs of different seeds may be compared.
    std::vector<std::string> values;
    std::string label, without_none;
    for (std::size_t column = 0; column < grouped.varied.size(); ++column) {
      if (grouped.varied[column] == "seed") continue;
      values.push_back(grouped.groups[i].varied[column]);
      const std::string& value = values.back();
      label += (label.empty() ? "" : ", ") + grouped.varied[column] + " " + (value.empty() ? "none" : value);
      if (!value.empty()) without_none += (without_none.empty() ? "" : ", ") + grouped.varied[column] + " " + value;
    }
    const auto [place, fresh] = known.emplace(values, conditions.size());
    if (fresh) conditions.push_back({label, {}, {}, {}}), shorter.push_back(without_none);
    conditions[place->second].groups.push_back(i);
  }
  const std::set<std::string> different(shorter.begin(), shorter.end());
  if (different.size() == shorter.size() && !different.contains("")) {
    for (std::size_t i = 0; i < conditions.size(); ++i) conditions[i].label = shorter[i];
  }
  const bool any_pair = std::any_of(conditions.begin(), conditions.end(),
                                    [](const Condition& condition) { return condition.groups.size() > 1; });
  if (!any_pair) {
    conditions = {Condition{}};
    for (std::size_t i = 0; i < grouped.groups.size(); ++i) conditions[0].groups.push_back(i);
  }
  if (conditions.size() == 1) conditions[0].label.clear();
  for (Condition& condition : conditions) judge(condition, grouped, measures);
  return conditions;
}

}  // namespace

Comparison compare(std::vector<FinishedRun> runs, bool over_seeds, const ComparisonLook& look) {
  Comparison comparison;
  comparison.grouped = group_runs(std::move(runs), over_seeds);
  comparison.baselines = baselines_of(comparison.grouped);
  choose_columns(comparison, look.columns);
  if (!look.label.empty()) choose_label(comparison, look.label);
  for (const auto& [from, to] : look.renamed) rename_row(comparison, from, to);
  comparison.conditions = conditions_of(comparison.grouped, comparison.measures);
  comparison.fidelities = fidelities_of(comparison.grouped);
  return comparison;
}

bool Comparison::has_baselines() const {
  return std::ranges::any_of(baselines, [](const auto& baseline) { return baseline.has_value(); });
}

std::optional<AgainstOne> Comparison::against_one(std::size_t group, double target) const {
  const auto baseline = baselines[group];
  if (!baseline) return std::nullopt;
  return results::against_one(grouped.groups[group], grouped.groups[*baseline], target);
}

Comparison compare_folders(const std::vector<std::string>& arguments, bool over_seeds, const ComparisonLook& look) {
  std::vector<FinishedRun> runs;
  for (const auto& folder : find_results(arguments)) {
    runs.push_back(read_finished(folder));
    runs.back().scenario = "";  // the settings say the same
  }
  return compare(std::move(runs), over_seeds, look);
}

}  // namespace ddl::results

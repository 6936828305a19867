#include "sim/results/compare/chosen_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/base/check.hpp"
#include "sim/results/writing/summary_keys.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::results {
namespace {

std::vector<double> targets_of(const GroupedRuns& grouped) {
  std::set<double> targets;
  for (const RunGroup& group : grouped.groups) {
    for (const FinishedRun& run : group.runs) targets.insert(run.targets.begin(), run.targets.end());
  }
  return {targets.begin(), targets.end()};
}

bool has_values(const GroupedRuns& grouped, std::string_view key) {
  return std::ranges::any_of(grouped.groups, [&](const RunGroup& group) { return group.count_with(key) > 0; });
}

Kind kind_of(const std::string& key) {
  if (metric_of(key) != nullptr) return Kind::score;
  for (const SummaryKey& known : summary_keys()) {
    const std::string_view name = known.name, unit = known.unit;
    const std::string group(name.substr(0, name.find(".<")));
    if (key != name && !key.starts_with(group + ".")) continue;
    if (unit == "s") return Kind::seconds;
    if (unit == "bytes") return Kind::bytes;
    if (unit == "share") return Kind::share;
    return Kind::number;
  }
  return Kind::number;
}

// Any number of summary.json: judged if it is the value of a metric, otherwise told.
ComparedMeasure measure_of(const std::string& key) {
  const scenario::Metric* metric = metric_of(key);
  return {key, key, kind_of(key), metric != nullptr, metric != nullptr && metric->less_is_better};
}

// Texts of a result that can be columns or name rows.
struct ResultText {
  const char* key;
  std::string FinishedRun::*text;
};
constexpr ResultText texts[] = {{"name", &FinishedRun::name},
                                {"stopped_by", &FinishedRun::stopped_by},
                                {"busiest_link.name", &FinishedRun::busiest_link},
                                {"bounds.bottleneck", &FinishedRun::bottleneck},
                                {"digest", &FinishedRun::digest}};

// Of each group, by the path of a setting or the key of a text; empty: there is no such. Runs of a group that differ
// have all of theirs.
std::vector<std::string> values_of(const GroupedRuns& grouped, const std::string& key) {
  const auto text = std::ranges::find(texts, key, &ResultText::key);
  bool known = text != std::end(texts);
  std::vector<std::string> values;
  for (const RunGroup& group : grouped.groups) {
    std::string& value = values.emplace_back();
    if (text == std::end(texts)) {
      known = known || std::ranges::count(group.runs.front().settings, key, &Setting::path) > 0;
      value = group.runs.front().setting(key);
      continue;
    }
    std::set<std::string> all;
    for (const FinishedRun& run : group.runs) all.insert(run.*text->text);
    for (const std::string& one : all) value += (value.empty() ? "" : ", ") + one;
  }
  return known ? values : std::vector<std::string>();
}

// Paths of settings and keys of texts.
std::vector<std::string> names_of_values(const GroupedRuns& grouped) {
  std::set<std::string> names;
  for (const ResultText& text : texts) names.insert(text.key);
  for (const RunGroup& group : grouped.groups) {
    for (const Setting& setting : group.runs.front().settings) names.insert(setting.path);
  }
  return {names.begin(), names.end()};
}

// Takes out a column of the same value in all rows.
void drop_if_alike(GroupedRuns& grouped, std::size_t column) {
  const std::string first = grouped.groups.front().varied[column];
  if (std::ranges::any_of(grouped.groups, [&](const RunGroup& group) { return group.varied[column] != first; })) return;
  const auto place = static_cast<std::ptrdiff_t>(column);
  grouped.varied.erase(grouped.varied.begin() + place);
  for (RunGroup& group : grouped.groups) group.varied.erase(group.varied.begin() + place);
}

class Chooser {
 public:
  explicit Chooser(Comparison& comparison)
      : comparison_(comparison),
        usual_(usual_measures(comparison.grouped)),
        metric_(comparison.grouped.groups.empty() ? scenario::by_accuracy : comparison.grouped.metric()),
        keys_(measure_keys(targets_of(comparison.grouped), metric_)) {}

  void add(const std::string& name) {
    const std::vector<std::string> keys = keys_named(name);
    for (const std::string& key : keys) add_measure(key);
    if (!keys.empty()) return;
    const std::vector<std::string> values = values_of(comparison_.grouped, name);
    if (values.empty()) refuse(name);
    if (std::ranges::count(comparison_.grouped.varied, name) > 0) return;  // it tells rows apart, so it is there
    comparison_.columns.push_back({.measure = std::nullopt, .key = name, .values = values});
  }

  void add_usual() {
    for (const ComparedMeasure& measure : usual_) add_measure(measure.key);
  }

 private:
  // Words of plots; an object's name stands for its mean, or for all of its members.
  std::vector<std::string> keys_named(const std::string& name) const {
    const std::map<std::string, std::string> words = {{"time", time_to(metric_)},
                                                      {"bytes", bytes_to(metric_)},
                                                      {"accuracy", "final_accuracy"},
                                                      {"loss", "final_loss"}};
    const auto word = words.find(name);
    const std::string key = word == words.end() ? name : word->second;
    for (const ComparedMeasure& measure : usual_) {
      if (measure.title == name) return {measure.key};
    }
    for (const std::string& one : {key, key + ".mean"}) {
      if (std::ranges::count(keys_, one) > 0) return {one};
    }
    std::vector<std::string> members;
    std::ranges::copy_if(keys_, std::back_inserter(members),
                         [&](const std::string& one) { return one.starts_with(key + "."); });
    if (members.empty() && word != words.end()) {
      throw InputError("compare: --columns " + name + ": no run has a target; expected " + key_of_targets(metric_) +
                       " in its scenario");
    }
    return members;
  }

  void add_measure(const std::string& key) {
    const auto known = std::ranges::find(comparison_.measures, key, &ComparedMeasure::key);
    const auto place = static_cast<std::size_t>(known - comparison_.measures.begin());
    if (known == comparison_.measures.end()) {
      const auto usual = std::ranges::find(usual_, key, &ComparedMeasure::key);
      comparison_.measures.push_back(usual == usual_.end() ? measure_of(key) : *usual);
    }
    comparison_.columns.push_back({.measure = place, .key = key, .values = {}});
  }

  [[noreturn]] void refuse(const std::string& name) const {
    std::vector<std::string> known = {"time", "bytes", "accuracy", "loss"};
    known.insert(known.end(), keys_.begin(), keys_.end());
    for (const std::string& value : names_of_values(comparison_.grouped)) known.push_back(value);
    throw InputError("compare: --columns: " + scenario::in_quotes(name) + " is no column of these results; " +
                     scenario::nearest_or(name, known, "expected some of " + scenario::listed(known)));
  }

  Comparison& comparison_;
  std::vector<ComparedMeasure> usual_;
  const scenario::Metric metric_;
  std::vector<std::string> keys_;
};

}  // namespace

std::vector<ComparedMeasure> usual_measures(const GroupedRuns& grouped) {
  std::vector<ComparedMeasure> measures;
  if (grouped.groups.empty()) return measures;
  const scenario::Metric& metric = grouped.metric();
  for (const double target : targets_of(grouped)) {
    measures.push_back({time_to(target, metric), fmt::format("time to {}", target), Kind::seconds, true, true, target});
    measures.push_back({bytes_to(target, metric), fmt::format("bytes to {}", target), Kind::bytes, true, true});
  }
  // How long steps take is no aim of systems that learn, but what is asked of those that do not.
  const bool learns = has_values(grouped, final_of(metric));
  if (learns) {
    for (const auto& [key, when] : {std::pair(final_of(metric), "final"), std::pair(best_of(metric), "best")}) {
      measures.push_back({key, fmt::format("{} {}", when, metric.word), Kind::score, true, metric.less_is_better});
    }
  }
  measures.push_back({"seconds_per_batch.mean", "step time", Kind::seconds, !learns, true});
  measures.push_back({"busiest_link.utilisation", "busiest link", Kind::share, false, true});
  measures.push_back({"compute_utilisation", "computing", Kind::share, false, false});
  measures.push_back({"staleness.mean", "staleness", Kind::number, false, true});
  return measures;
}

void choose_columns(Comparison& comparison, const std::vector<std::string>& names) {
  Chooser chooser(comparison);
  if (names.empty()) chooser.add_usual();
  for (const std::string& name : names) chooser.add(name);
}

void choose_label(Comparison& comparison, const std::string& key) {
  GroupedRuns& grouped = comparison.grouped;
  std::vector<std::string> labels = values_of(grouped, key);
  if (labels.empty()) {
    const std::vector<std::string> known = names_of_values(grouped);
    throw InputError("compare: --label: " + scenario::in_quotes(key) + " is no setting of these results; " +
                     scenario::nearest_or(key, known, "expected one of " + scenario::listed(known)));
  }
  comparison.label = key;
  const auto varied = std::ranges::find(grouped.varied, key);
  if (varied != grouped.varied.end()) {
    const auto place = varied - grouped.varied.begin();
    *varied = "scheme";
    for (RunGroup& group : grouped.groups) {
      std::string& value = group.varied[static_cast<std::size_t>(place)];
      std::swap(group.scheme, value);
      if (group.scheme.empty()) group.scheme = "none";
    }
    drop_if_alike(grouped, static_cast<std::size_t>(place));
    return;
  }
  std::map<std::pair<std::string, std::vector<std::string>>, std::size_t> rows;
  for (std::size_t i = 0; i < labels.size(); ++i) ++rows[{labels[i], grouped.groups[i].varied}];
  for (std::size_t i = 0; i < labels.size(); ++i) {
    RunGroup& group = grouped.groups[i];
    const bool alone = rows[{labels[i], group.varied}] == 1;
    group.scheme = (labels[i].empty() ? "none" : labels[i]) + (alone ? "" : " (" + group.scheme + ")");
  }
}

void rename_row(Comparison& comparison, const std::string& from, const std::string& to) {
  std::vector<std::string> known;
  bool found = false;
  for (RunGroup& group : comparison.grouped.groups) {
    known.push_back(group.scheme);
    if (group.scheme != from) continue;
    group.scheme = to;
    found = true;
  }
  if (found) return;
  throw InputError("compare: --label: " + scenario::in_quotes(from) + " is no row here; " +
                   scenario::nearest_or(from, known, "rows are " + scenario::listed(known)));
}

}  // namespace ddl::results

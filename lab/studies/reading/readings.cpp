#include "lab/studies/reading/readings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <ranges>
#include <sstream>

#include "core/nn/layer_table.hpp"
#include "core/nn/model.hpp"
#include "lab/studies/reading/formula.hpp"
#include "sim/results/reading/mean_curve.hpp"
#include "sim/results/reading/read_rows.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::studies {
namespace {

using Run = results::FinishedRun;
using Found = std::optional<double>;

double number_or(const JsonAt& json, const char* key, double otherwise) {
  const std::optional<JsonAt> found = json.find(key);
  return found ? found->number() : otherwise;
}

template <class Named>
const Named& named(const std::vector<Named>& all, const JsonAt& name) {
  std::vector<std::string> names;
  for (const Named& one : all) {
    if (one.name == name.text()) return one;
    names.emplace_back(one.name);
  }
  name.refuse(scenario::in_quotes(name.text()) + " is unknown; " +
              scenario::nearest_or(name.text(), names, "expected " + scenario::listed(names)));
}

// A number of summary.json, in such units, or how often it goes into another.
Reading measure_of(const JsonAt& json) {
  const double unit = number_or(json, "unit", 1), whole = number_or(json, "out_of", no_value);
  return [key = json.at("key").text(), unit, whole](const Run& run) -> Found {
    const Found value = run.measure(key);
    if (!value) return std::nullopt;
    return std::isnan(whole) ? *value / unit : whole / (*value / unit);
  };
}

// In per cent, mean over workers and the last evaluations, as far as there are some after the start.
Found final_accuracy(const Run& run, double evaluations) {
  double sum = 0, count = 0;
  for (const run::CurveRow& row : results::read_mean_curve(run.folder) | std::views::reverse) {
    if (count == evaluations || (count > 0 && row.iteration == 0)) break;
    sum += 100 * row.test_accuracy.value();
    ++count;
  }
  return count == 0 ? std::nullopt : Found(sum / count);
}

// At the first evaluation after a part of the steps.
Found accuracy_after(const Run& run, double part) {
  const std::vector<run::CurveRow> curve = results::read_mean_curve(run.folder);
  const auto nearest = std::ranges::min_element(
      curve, {}, [&](const run::CurveRow& row) { return std::abs(row.iteration - part * curve.back().iteration); });
  return nearest == curve.end() ? std::nullopt : Found(100 * nearest->test_accuracy.value());
}

// Mean absolute change from one evaluation to the next, less the part that is progress: what a curve goes down and up.
// Of each worker's own curve, then the mean of these: the mean curve would hide what single replicas do.
Found fluctuation(const Run& run) {
  std::map<std::string, std::vector<double>> curves;  // by worker
  results::read_rows<run::CurveRow>(run.folder, [&](const run::CurveRow& row) {
    if (row.worker != run::mean_of_workers && row.worker != run::averaged_model)
      curves[row.worker].push_back(100 * row.test_accuracy.value());
  });
  double sum = 0;
  for (const auto& [worker, accuracy] : curves) {
    if (accuracy.size() < 2) return std::nullopt;
    double way = 0;
    for (std::size_t i = 1; i < accuracy.size(); ++i) way += std::abs(accuracy[i] - accuracy[i - 1]);
    sum += (way - std::abs(accuracy.back() - accuracy.front())) / static_cast<double>(accuracy.size() - 1);
  }
  return curves.empty() ? std::nullopt : Found(sum / static_cast<double>(curves.size()));
}

// --- rows of a table ---

// What is taken of rows, by worker.
using ByWorker = std::map<std::string, std::vector<double>>;

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> values_of(const ByWorker& rows) {
  std::vector<double> all;
  for (const auto& [worker, values] : rows) all.insert(all.end(), values.begin(), values.end());
  return all;
}

std::vector<double> means_of(const ByWorker& rows) {
  std::vector<double> means;
  for (const auto& [worker, values] : rows) means.push_back(mean_of(values));
  return means;
}

struct Taken {
  const char* name;
  double (*of)(const ByWorker& rows, double percent);
};
const std::vector<Taken> takings = {
    {"mean", [](const ByWorker& rows, double) { return mean_of(values_of(rows)); }},
    {"first", [](const ByWorker& rows, double) { return rows.begin()->second.front(); }},
    {"percentile",  // what so many per cent of the rows do not exceed
     [](const ByWorker& rows, double percent) {
       std::vector<double> values = values_of(rows);
       std::ranges::sort(values);
       const double place = std::ceil(percent / 100 * static_cast<double>(values.size()));
       return values[static_cast<std::size_t>(std::max(place, 1.0)) - 1];
     }},
    {"mean of workers", [](const ByWorker& rows, double) { return mean_of(means_of(rows)); }},
    {"least of workers", [](const ByWorker& rows, double) { return std::ranges::min(means_of(rows)); }},
    {"largest of workers", [](const ByWorker& rows, double) { return std::ranges::max(means_of(rows)); }}};

struct RunTable {
  const char *name, *file;
  std::string header;
};
const std::vector<RunTable>& run_tables() {
  static const std::vector<RunTable> all = {
      {"iterations", run::Table<run::IterationRow>::file, results::header_of<run::IterationRow>()},
      {"curve", run::Table<run::CurveRow>::file, results::header_of<run::CurveRow>()},
      {"requests", run::Table<Answer>::file, results::header_of<Answer>()}};
  return all;
}

struct RowsReading {
  std::string file;
  std::map<std::string, std::size_t> columns = {};
  std::map<std::string, std::string> labels = {};  // by column; none: rows of all workers
  Condition among = {}, percent_with = {};
  Term value = {};
  Taken take = takings.front();
  double percent = 0;

  Found operator()(const Run& run) const {
    ByWorker rows;
    results::read_table(run.folder / file, "", [&](const results::TableRow& row) {
      const std::string worker = columns.contains("worker") ? row.text(columns.at("worker")) : "";
      if (labels.empty() && (worker == run::mean_of_workers || worker == run::averaged_model)) return;
      for (const auto& [column, label] : labels) {
        if (row.text(columns.at(column)) != label) return;
      }
      bool is_empty = false;  // a number that is asked for
      const NumberOf number_of = [&](const std::string& name) {
        if (name == "workers") return Number{static_cast<double>(run.workers.size())};
        const Found number = row.number_if_any(columns.at(name));
        is_empty = is_empty || !number;
        return Number{number.value_or(no_value)};
      };
      if (!holds(among, number_of)) return;
      const double share = holds(percent_with, number_of) ? 100 : 0;
      const double taken = percent_with.empty() ? value.value(number_of) : share;
      if (!is_empty) rows[worker].push_back(taken);
    });
    return rows.empty() ? std::nullopt : Found(take.of(rows, percent));
  }
};

Reading rows_of(const JsonAt& json) {
  const RunTable& table = named(run_tables(), json.at("of"));
  RowsReading rows{table.file};
  std::istringstream header(table.header);
  for (std::string name; std::getline(header, name, ',');) rows.columns.emplace(name, rows.columns.size());
  const KnowsName knows = [&](const std::string& name, bool published) {
    return !published && (name == "workers" || rows.columns.contains(name));
  };
  const auto condition = [&](const char* key) {
    const auto found = json.find(key);
    return found ? found->checked([&] { return parse_condition(found->text(), knows); }) : Condition();
  };
  rows.among = condition("if");
  rows.percent_with = condition("percent_with");
  if (const auto value = json.find("value")) {
    rows.value = value->checked([&] { return parse_term(value->text(), knows); });
  }
  if (const auto where = json.find("where")) {
    for (const auto& [column, label] : where->members()) {
      if (!rows.columns.contains(column)) label.refuse("is no column of " + rows.file + "; expected one");
      rows.labels[column] = label.text();
    }
  }
  if (const auto take = json.find("take")) rows.take = named(takings, *take);
  rows.percent = number_or(json, "percent", 0);
  if (json.find("value").has_value() == json.find("percent_with").has_value()) {
    json.refuse("has both or neither of value and percent_with; expected one of them");
  }
  const auto percent = json.find("percent");
  const bool takes_percent = std::string_view(rows.take.name) == "percentile";
  if (percent.has_value() != takes_percent || (takes_percent && !(rows.percent > 0 && rows.percent <= 100))) {
    json.refuse("percent belongs to a percentile alone; expected a number above 0 and at most 100 there");
  }
  return rows;
}

struct NamedReading {
  const char* name;
  std::vector<std::string> settings;
  Reading (*make)(const JsonAt& json);
};

const std::vector<NamedReading>& named_readings() {
  static const std::vector<NamedReading> all = {
      {"measure", {"key", "unit", "out_of"}, measure_of},
      {"rows", {"of", "where", "if", "value", "percent_with", "take", "percent"}, rows_of},
      {"final_accuracy",
       {"evaluations"},
       [](const JsonAt& json) -> Reading {
         return [last = number_or(json, "evaluations", 1)](const Run& run) { return final_accuracy(run, last); };
       }},
      {"accuracy_after",
       {"part"},
       [](const JsonAt& json) -> Reading {
         return [part = json.at("part").number()](const Run& run) { return accuracy_after(run, part); };
       }},
      {"points_learnt_late",  // after three twentieths of the steps
       {},
       [](const JsonAt&) -> Reading {
         return [](const Run& run) -> Found {
           const Found early = accuracy_after(run, 0.15);
           return early ? Found(*final_accuracy(run, 3) - *early) : std::nullopt;
         };
       }},
      {"fluctuation", {}, [](const JsonAt&) -> Reading { return fluctuation; }}};
  return all;
}

struct NamedCount {
  const char* name;
  double (*of)(const nn::LayerRow& total);
};

// --- of an outcome ---

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    const auto below = std::ranges::count_if(values, [&](double other) { return other < value; });
    const auto equal = std::ranges::count(values, value);
    ranks.push_back(static_cast<double>(below) + static_cast<double>(equal - 1) / 2);
  }
  return ranks;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const double mean_a = mean_of(a), mean_b = mean_of(b);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

}  // namespace

Reading reading_of(const JsonAt& figure) {
  const NamedReading& reading = named(named_readings(), figure.at("read"));
  std::vector<std::string> keys = reading.settings;
  keys.insert(keys.end(), {"at", "read", "published"});
  figure.expect_keys(keys);
  return reading.make(figure);
}

double count_of(const JsonAt& figure, const std::string& network, const std::vector<JsonAt>& input) {
  static const std::vector<NamedCount> counts = {
      {"weights", [](const nn::LayerRow& total) { return static_cast<double>(total.weights); }},
      {"non_zeros", [](const nn::LayerRow& total) { return static_cast<double>(total.non_zeros()); }},
      {"operations", [](const nn::LayerRow& total) { return total.operations; }}};
  figure.expect_keys({"at", "count", "unit"});
  const Shape shape{input.at(0).whole(), input.at(1).whole(), input.at(2).whole()};
  const nn::Model model({.name = network, .layers = {}}, shape, 10);
  return named(counts, figure.at("count")).of(nn::total_of(nn::layer_table(model))) / number_or(figure, "unit", 1);
}

double rank_correlation(const Outcome& outcome, const std::string& table, const std::string& without) {
  std::vector<double> published, simulated;
  for (const Outcome::Value& value : outcome.values()) {
    if (value.place.table != table || value.place.row.at(0) == without || !value.published) continue;
    published.push_back(*value.published);
    simulated.push_back(outcome.number(value.place));
    if (std::isnan(simulated.back())) return no_value;
  }
  return correlation(ranks(published), ranks(simulated));
}

Pairs pairs_of(const Outcome& outcome, const std::vector<Outcome::Value>& figures) {
  using Group = std::pair<std::vector<std::string>, std::string>;  // labels but the last, and the column
  std::map<Group, std::vector<const Outcome::Value*>> groups;
  for (const Outcome::Value& figure : figures) {
    const std::vector<std::string>& row = figure.place.row;
    groups[{{row.begin(), row.end() - 1}, figure.place.column}].push_back(&figure);
  }
  Pairs pairs;
  for (const auto& [labels, group] : groups) {
    for (const Outcome::Value* less : group) {
      for (const Outcome::Value* more : group) {
        if (!less->range || !more->range || less->range->most >= more->range->least) continue;
        ++pairs.all;
        pairs.reversed += outcome.number(less->place) < outcome.number(more->place) ? 0 : 1;
      }
    }
  }
  return pairs;
}

}  // namespace ddl::studies

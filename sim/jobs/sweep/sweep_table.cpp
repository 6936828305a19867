#include "sim/jobs/sweep/sweep_table.hpp"

#include <algorithm>

#include "sim/results/reading/finished_run.hpp"
#include "sim/results/reading/mean_curve.hpp"
#include "sim/results/reading/statistics.hpp"
#include "sim/results/text/setting_column.hpp"
#include "sim/results/writing/table_text.hpp"
#include "sim/results/writing/whole_file.hpp"

namespace ddl::jobs {
namespace {

using results::Measure;

std::vector<Measure> all_measures(const SweepPlan& plan) {
  std::vector<Measure> measures;
  for (const scenario::Metric& metric : {scenario::by_accuracy, scenario::by_loss}) {
    std::vector<double> targets;
    bool judges = false;
    for (const SweepPoint& point : plan.points) {
      if (point.scenario.evaluate.judged_by().word != metric.word) continue;
      judges = true;
      for (const double target : point.scenario.evaluate.targets()) {
        if (std::ranges::count(targets, target) == 0) targets.push_back(target);
      }
    }
    for (Measure& one : judges ? results::measures_of(targets, metric) : std::vector<Measure>()) {
      if (std::ranges::count(measures, one.key, &Measure::key) == 0) measures.push_back(std::move(one));
    }
  }
  return measures;
}

using results::Cell;
using results::Column;

// A row begins with what is varied.
class Varied {
 public:
  explicit Varied(const SweepPlan& plan) {
    for (std::size_t i = 0; i < plan.columns.size(); ++i) {
      std::vector<std::string> values;
      for (const SweepPoint& point : plan.points) values.push_back(point.values.at(i));
      columns_.push_back(results::setting_column(plan.columns[i], values));
    }
  }

  std::vector<Column> with(const std::vector<std::string>& keys) const {
    std::vector<Column> columns;
    for (const results::SettingColumn& setting : columns_) columns.push_back(setting.column);
    for (const std::string& key : keys) columns.push_back({.key = key, .title = key});
    return columns;
  }

  results::TableLine at(std::size_t point) const {
    results::TableLine line;
    for (const results::SettingColumn& setting : columns_) line.push_back(setting.cells[point]);
    return line;
  }

 private:
  std::vector<results::SettingColumn> columns_;
};

Cell number(const std::optional<double>& value) { return {"", value}; }

results::TableLine line_of_run(results::TableLine line, const SweepPlan& plan, std::size_t run,
                               const std::string& failure, const results::FinishedRun* result,
                               const std::vector<Measure>& measures) {
  line.insert(line.end(), {std::to_string(plan.seed_of(run)), plan.name_of(run), failure});
  if (result != nullptr) {
    line.insert(line.end(), {result->stopped_by, result->busiest_link, result->digest});
  } else {
    line.resize(line.size() + 3);
  }
  for (const Measure& one : measures)
    line.push_back(number(result != nullptr ? result->measure(one.key) : std::nullopt));
  return line;
}

// One measure, over the finished runs of a point.
results::TableLine line_of_means(results::TableLine line, const Measure& measure,
                                 const std::vector<results::FinishedRun>& runs) {
  std::vector<double> values;
  for (const results::FinishedRun& run : runs) {
    if (const auto value = run.measure(measure.key)) values.push_back(*value);
  }
  const auto over_runs = results::estimate(values);
  const auto interval = over_runs ? results::interval_of(*over_runs, 0, measure.most) : std::nullopt;
  line.insert(line.end(), {measure.key, std::to_string(runs.size()), std::to_string(values.size()),
                           number(over_runs ? std::optional(over_runs->mean) : std::nullopt),
                           number(interval ? std::optional(interval->low) : std::nullopt),
                           number(interval ? std::optional(interval->high) : std::nullopt)});
  return line;
}

// All mean curves of the sweep, one below the other.
void write_curves(std::ostream& table, const std::filesystem::path& folder, const SweepPlan& plan,
                  const std::vector<std::string>& failures, const Varied& varied) {
  std::vector<std::string> keys = {"seed"};
  for (const results::ColumnEntry& column : results::dictionary_of<run::CurveRow>()) {
    if (column.name != "worker") keys.push_back(column.name);
  }
  table << results::csv_header(varied.with(keys));
  for (std::size_t run = 0; run < plan.runs(); ++run) {
    if (!failures.at(run).empty()) continue;
    results::TableLine start = varied.at(run / plan.seeds.size());
    start.emplace_back(std::to_string(plan.seed_of(run)));
    for (const run::CurveRow& row : results::read_mean_curve(folder / plan.name_of(run))) {
      results::TableLine line = start;
      run::CurveRow::columns([&](const char*, const char*, const char*, const auto& member) {
        if constexpr (!std::is_same_v<decltype(row.*member), const std::string&>) line.push_back(number(row.*member));
      });
      table << results::csv_line(line);
    }
  }
}

}  // namespace

void write_sweep_tables(const std::filesystem::path& folder, const SweepPlan& plan,
                        const std::vector<std::string>& failures) {
  const Varied varied(plan);
  const std::vector<Measure> measures = all_measures(plan);
  std::vector<std::string> keys = {"seed", "run", "failure", "stopped_by", "busiest_link", "digest"};
  for (const Measure& one : measures) keys.push_back(one.key);
  const std::vector<Column> columns = varied.with(keys);
  const std::vector<Column> columns_of_means = varied.with({"measure", "runs", "count", "mean", "low", "high"});
  results::write_whole((folder / "curves.csv").string(),
                       [&](std::ostream& table) { write_curves(table, folder, plan, failures, varied); });
  results::write_whole((folder / "means.csv").string(), [&](std::ostream& means) {
    means << results::csv_header(columns_of_means);
    results::write_whole((folder / "sweep.csv").string(), [&](std::ostream& table) {
      table << results::csv_header(columns);
      std::vector<results::FinishedRun> of_point;
      for (std::size_t run = 0; run < plan.runs(); ++run) {
        const std::size_t point = run / plan.seeds.size();
        const bool finished = failures.at(run).empty();
        if (finished) of_point.push_back(results::read_finished(folder / plan.name_of(run)));
        table << results::csv_line(
            line_of_run(varied.at(point), plan, run, failures[run], finished ? &of_point.back() : nullptr, measures));
        if ((run + 1) % plan.seeds.size() != 0) continue;
        for (const Measure& one : measures) {
          means << results::csv_line(line_of_means(varied.at(point), one, of_point));
        }
        of_point.clear();
      }
    });
  });
}

void remove_sweep_tables(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (const char* table : {"sweep.csv", "means.csv", "curves.csv"}) std::filesystem::remove(folder / table, ignored);
}

}  // namespace ddl::jobs

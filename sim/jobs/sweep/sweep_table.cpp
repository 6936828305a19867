#include "sim/jobs/sweep/sweep_table.hpp"

#include <algorithm>

#include "sim/results/reading/finished_run.hpp"
#include "sim/results/reading/groups.hpp"
#include "sim/results/reading/mean_curve.hpp"
#include "sim/results/reading/statistics.hpp"
#include "sim/results/writing/csv.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/scenario/reading/units.hpp"

namespace ddl::jobs {
namespace {

std::vector<std::string> all_measures(const SweepPlan& plan) {
  std::vector<double> targets;
  for (const SweepPoint& point : plan.points) {
    for (const double target : point.scenario.evaluate.target_accuracy) {
      if (std::find(targets.begin(), targets.end(), target) == targets.end()) targets.push_back(target);
    }
  }
  return results::measure_keys(targets);
}

std::string varied(const SweepPoint& point) {
  std::string text;
  for (const std::string& value : point.values) text += results::csv_field(value) + ",";
  return text;
}

std::string header_of(const SweepPlan& plan) {
  std::string text;
  for (const std::string& column : plan.columns) text += results::csv_field(column) + ",";
  return text;
}

void write_run(std::ostream& table, const SweepPlan& plan, std::size_t run, const std::string& failure,
               const results::FinishedRun* result, const std::vector<std::string>& measures) {
  table << varied(plan.point_of(run)) << plan.seed_of(run) << "," << results::csv_field(plan.name_of(run)) << ","
        << results::csv_field(failure);
  if (result != nullptr) {
    table << "," << results::csv_field(result->stopped_by) << "," << results::csv_field(result->busiest_link) << ","
          << result->digest;
  } else {
    table << ",,,";
  }
  for (const std::string& key : measures) table << "," << (result ? results::csv_field(result->measure(key)) : "");
  table << "\n";
}

void write_means(std::ostream& table, const SweepPoint& point, const std::vector<results::FinishedRun>& runs,
                 const std::vector<std::string>& measures) {
  for (const std::string& key : measures) {
    std::vector<double> values;
    for (const results::FinishedRun& run : runs) {
      if (const auto value = run.measure(key)) values.push_back(*value);
    }
    table << varied(point) << key << "," << runs.size() << "," << values.size();
    std::string mean, low, high;
    if (const auto over_runs = results::estimate(values)) {
      mean = results::csv_field(over_runs->mean);
      if (const auto interval = results::interval_of(*over_runs, 0, results::most_of_measure(key))) {
        low = results::csv_field(interval->low);
        high = results::csv_field(interval->high);
      }
    }
    table << "," << mean << "," << low << "," << high << "\n";
  }
}

// A column of curves.csv that a varied path becomes: numbers in base units, with the unit in its name, where all values
// are quantities of one kind; otherwise the values as they are.
struct TidyColumn {
  std::string name;
  std::vector<std::string> values;  // by point, as fields
};

struct Unit {
  scenario::Dimension dimension;
  const char* suffix;
  double factor;  // from parse_quantity's
};
constexpr Unit units[] = {{scenario::Dimension::bandwidth, "_bit_per_s", 8},
                          {scenario::Dimension::time, "_s", 1},
                          {scenario::Dimension::size, "_bytes", 1},
                          {scenario::Dimension::speed, "_flop_per_s", 1}};

TidyColumn tidy(const std::string& path, const std::vector<std::string>& values) {
  for (const Unit& unit : units) {
    std::vector<std::string> numbers;
    for (const std::string& value : values) {
      const scenario::Quantity quantity = scenario::parse_quantity(value, unit.dimension);
      if (quantity.problem.empty()) numbers.push_back(results::csv_field(quantity.value * unit.factor));
    }
    if (!values.empty() && numbers.size() == values.size())
      return {path.ends_with(unit.suffix) ? path : path + unit.suffix, numbers};
  }
  TidyColumn column{path, {}};
  for (const std::string& value : values) column.values.push_back(results::csv_field(value));
  return column;
}

std::vector<TidyColumn> tidy_columns(const SweepPlan& plan) {
  std::vector<TidyColumn> columns;
  for (std::size_t i = 0; i < plan.columns.size(); ++i) {
    std::vector<std::string> values;
    for (const SweepPoint& point : plan.points) values.push_back(point.values.at(i));
    columns.push_back(tidy(plan.columns[i], values));
  }
  return columns;
}

// All mean curves of the sweep, one below the other.
void write_curves(std::ostream& table, const std::filesystem::path& folder, const SweepPlan& plan,
                  const std::vector<std::string>& failures) {
  const std::vector<TidyColumn> columns = tidy_columns(plan);
  for (const TidyColumn& column : columns) table << results::csv_field(column.name) << ",";
  table << "seed,time_s,iteration,samples,epoch,bytes_sent,train_loss,test_loss,test_accuracy\n";
  for (std::size_t run = 0; run < plan.runs(); ++run) {
    if (!failures.at(run).empty()) continue;
    std::string start;
    for (const TidyColumn& column : columns) start += column.values[run / plan.seeds.size()] + ",";
    start += std::to_string(plan.seed_of(run));
    for (const run::CurveRow& row : results::read_mean_curve(folder / plan.name_of(run))) {
      table << start;
      for (const double value : {row.time_s, row.iteration, row.samples, row.epoch, row.bytes_sent}) {
        table << "," << results::csv_field(value);
      }
      table << "," << results::csv_field(row.train_loss) << "," << results::csv_field(row.test_loss) << ","
            << results::csv_field(row.test_accuracy) << "\n";
    }
  }
}

}  // namespace

void write_sweep_tables(const std::filesystem::path& folder, const SweepPlan& plan,
                        const std::vector<std::string>& failures) {
  const std::vector<std::string> measures = all_measures(plan);
  results::write_whole((folder / "curves.csv").string(),
                       [&](std::ostream& table) { write_curves(table, folder, plan, failures); });
  results::write_whole((folder / "means.csv").string(), [&](std::ostream& means) {
    means << header_of(plan) << "measure,runs,count,mean,low,high\n";
    results::write_whole((folder / "sweep.csv").string(), [&](std::ostream& table) {
      table << header_of(plan) << "seed,run,failure,stopped_by,busiest_link,digest";
      for (const std::string& key : measures) table << "," << results::csv_field(key);
      table << "\n";
      std::vector<results::FinishedRun> of_point;
      for (std::size_t run = 0; run < plan.runs(); ++run) {
        const bool finished = failures.at(run).empty();
        if (finished) of_point.push_back(results::read_finished(folder / plan.name_of(run)));
        write_run(table, plan, run, failures[run], finished ? &of_point.back() : nullptr, measures);
        if ((run + 1) % plan.seeds.size() != 0) continue;
        write_means(means, plan.point_of(run), of_point, measures);
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

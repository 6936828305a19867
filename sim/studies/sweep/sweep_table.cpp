#include "sim/studies/sweep/sweep_table.hpp"

#include <algorithm>

#include "sim/results/reading/finished_run.hpp"
#include "sim/results/reading/groups.hpp"
#include "sim/results/reading/statistics.hpp"
#include "sim/results/writing/csv.hpp"
#include "sim/results/writing/whole_file.hpp"

namespace ddl::studies {
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

}  // namespace

void write_sweep_tables(const std::filesystem::path& folder, const SweepPlan& plan,
                        const std::vector<std::string>& failures) {
  const std::vector<std::string> measures = all_measures(plan);
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
  for (const char* table : {"sweep.csv", "means.csv"}) std::filesystem::remove(folder / table, ignored);
}

}  // namespace ddl::studies

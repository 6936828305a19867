// A finished run read back from its folder: what was run, and the figures that stand for it. The folder's tables are
// read apart (read_rows.hpp), for they may be long.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/results/identity/run_identity.hpp"
#include "sim/scenario/metric.hpp"

namespace ddl::results {

// One number of summary.json: {"final_accuracy.mean", 0.9}, {"time_to_accuracy_s.0.8", none}. What summary.json lists
// per worker is its least, mean and largest: idle_fraction.min, .mean, .max.
struct Measure {
  std::string key;
  std::optional<double> value;
};

struct FinishedRun {
  std::filesystem::path folder;
  std::string name;
  std::uint64_t seed = 0;
  std::string scenario;  // resolved, as JSON text; itself a scenario file
  bool has_platform_file = false, has_data_path = false;
  int schema_version = 0;
  std::string digest;           // of two runs comparable where they have the same version
  std::string platform_digest;  // as in RunIdentity
  std::vector<FileDigest> data;
  bool measured = false;                            // over real TCP
  std::string algorithm;                            // "ako"
  std::vector<std::string> workers;                 // host names
  scenario::Metric metric = scenario::by_accuracy;  // what it is judged by
  std::vector<double> targets;                      // of the metric, as the scenario lists them
  std::string busiest_link;                         // empty when nothing travelled
  std::string stopped_by;
  std::vector<Measure> measures;  // in summary.json's order

  // None if there is no such measure, or the run has no value for it.
  std::optional<double> measure(std::string_view key) const;
};

// Keys of the measures of a metric: "best_accuracy", "time_to_accuracy_s.0.8",
// "bytes_to_accuracy.0.8"; to targets of another metric "time_to_target_s.2.5".
std::string best_of(const scenario::Metric& metric);
std::string time_to(const scenario::Metric& metric);  // without the target: an object of all of them
std::string bytes_to(const scenario::Metric& metric);
std::string time_to(double target, const scenario::Metric& metric = scenario::by_accuracy);
std::string bytes_to(double target, const scenario::Metric& metric = scenario::by_accuracy);
// The metric that a measure is a value of; null: it is of none.
const scenario::Metric* metric_of(std::string_view key);

// The most that a measure can be: 1 for shares and accuracies, no limit for all else.
double most_of_measure(std::string_view key);

// Keys of all measures of a run that is judged by this metric and has these targets, in order.
std::vector<std::string> measure_keys(const std::vector<double>& targets,
                                      const scenario::Metric& metric = scenario::by_accuracy);
// Reads run.json and summary.json. Throws InputError: not there, not of this program, not the two of one run.
FinishedRun read_finished(const std::filesystem::path& folder);

}  // namespace ddl::results

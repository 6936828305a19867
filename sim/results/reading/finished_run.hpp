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

// One number of summary.json: {"final_accuracy.mean", 1, 0.9}, {"time_to_accuracy_s.0.8", infinity, none}. What
// summary.json lists per worker is its least, mean and largest: idle_fraction.min, .mean, .max.
struct Measure {
  std::string key;
  double most;  // largest possible value; never less than 0
  std::optional<double> value;
};

struct FinishedRun {
  std::filesystem::path folder;
  std::string scenario;  // resolved, as JSON text; itself a scenario file
  bool has_platform_file = false, has_data_path = false;
  std::string digest;
  std::string platform_digest;  // as in RunIdentity
  std::vector<FileDigest> data;
  bool measured = false;     // over real TCP
  std::string busiest_link;  // empty when nothing travelled
  std::string stopped_by;
  std::vector<Measure> measures;  // in summary.json's order

  // None if there is no such measure, or the run has no value for it.
  std::optional<double> measure(std::string_view key) const;
};

// All measures of a run that is judged by this metric and has these targets, in order, without values.
std::vector<Measure> measures_of(const std::vector<double>& targets,
                                 const scenario::Metric& metric = scenario::by_accuracy);
// Reads run.json and summary.json. Throws InputError: not there, not of this program, not the two of one run.
FinishedRun read_finished(const std::filesystem::path& folder);

}  // namespace ddl::results

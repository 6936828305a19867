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

// One key of a scenario with all defaults: {"platform.bandwidth", "40Mbps"}, {"algorithm.partitions", "3"}. Texts are
// bare, everything else is JSON.
struct Setting {
  std::string path, value;
  auto operator<=>(const Setting&) const = default;
};

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
  // The same, flat, in the scenario's order; without name, description, seed, metric and record, and of measured runs
  // without how networks are simulated. After a path comes the digest of what lay there. The network's model is what
  // "auto" became, where run.json tells.
  std::vector<Setting> settings;
  std::string provenance;  // program, libraries and kernels, as JSON text
  int schema_version = 0;
  std::string digest;           // of two runs comparable where they have the same version
  std::string platform_digest;  // as in RunIdentity
  std::vector<FileDigest> data;
  std::string network;                              // text_of the network's plan, and why; empty where it was measured
  bool measured = false;                            // over real TCP; its last setting, "measured", says how
  std::string algorithm;                            // "ako"
  std::vector<std::string> workers;                 // host names
  scenario::Metric metric = scenario::by_accuracy;  // what it is judged by
  std::vector<double> targets;                      // of the metric, as the scenario lists them
  std::string busiest_link;                         // empty when nothing travelled
  std::string bottleneck;                           // of the bounds; empty likewise
  std::string stopped_by;
  std::vector<Measure> measures;  // in summary.json's order

  // None if there is no such measure, or the run has no value for it.
  std::optional<double> measure(std::string_view key) const;
  // "" if the scenario has no such setting.
  std::string setting(std::string_view path) const;
};

// Keys of the measures of a metric: "final_accuracy.mean", "best_accuracy", "time_to_accuracy_s.0.8",
// "bytes_to_accuracy.0.8"; to targets of another metric "time_to_target_s.2.5".
std::string final_of(const scenario::Metric& metric);
std::string best_of(const scenario::Metric& metric);
std::string time_to(const scenario::Metric& metric);  // without the target: an object of all of them
std::string bytes_to(const scenario::Metric& metric);
std::string time_to(double target, const scenario::Metric& metric = scenario::by_accuracy);
std::string bytes_to(double target, const scenario::Metric& metric = scenario::by_accuracy);
// The metric that a measure is a value of; null: it is of none.
const scenario::Metric* metric_of(std::string_view key);

// Keys of all measures of a run that is judged by this metric and has these targets, in order.
std::vector<std::string> measure_keys(const std::vector<double>& targets,
                                      const scenario::Metric& metric = scenario::by_accuracy);
// The scenario's key of the targets of a metric: "evaluate.target_accuracy".
std::string key_of_targets(const scenario::Metric& metric);

// Settings that say where something lies, each with the one that says what it is: two runs are of one scenario if these
// are alike.
struct PathAndContent {
  std::string_view path, content;
};
inline constexpr PathAndContent paths_and_contents[] = {{"platform.file", "platform_digest"},
                                                        {"data.path", "data_digest"},
                                                        {"data.test_path", "data_digest"},
                                                        {"training.init.file", "data_digest"}};

// Whether a setting says how a network is simulated, which measured runs do without.
bool is_of_network_model(std::string_view path);

// Whether `folder` holds a run.json.
bool is_result(const std::filesystem::path& folder);
// Reads run.json and summary.json. Throws InputError: not there, not of this program, not the two of one run.
FinishedRun read_finished(const std::filesystem::path& folder);

// A JSON object's text as settings, in its order.
std::vector<Setting> flat_settings(const std::string& json);

}  // namespace ddl::results

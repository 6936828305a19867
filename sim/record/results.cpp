#include "sim/record/results.hpp"

#include <bit>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "core/base/check.hpp"
#include "sim/record/csv.hpp"
#include "sim/record/folder.hpp"
#include "sim/record/requests.hpp"
#include "sim/record/run_json.hpp"
#include "sim/record/safetensors.hpp"
#include "sim/record/summary.hpp"
#include "sim/record/timing_json.hpp"
#include "sim/record/trace_json.hpp"

namespace ddl {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view result_files[] = {"run.json",       "summary.json", "timing.json", "curve.csv",
                                             "iterations.csv", "traffic.csv",  "pairs.csv",   "trace.json",
                                             "links.csv",      "requests.csv"};

bool is_result_file(const std::string& name) {
  for (const std::string_view ours : result_files) {
    if (name == ours) return true;
  }
  return name.starts_with("weights-") && name.ends_with(".safetensors");
}

// `name` must be the name of one folder: results of one scenario never land among another's, or outside.
fs::path place_of(const std::string& out, const Scenario& scenario, int repetition) {
  const std::string& name = scenario.name;
  if (name.empty() || name.starts_with('.') || name.find('/') != std::string::npos ||
      name.find('\0') != std::string::npos) {
    throw InputError("the scenario's name \"" + name +
                     "\" cannot name the results' folder; expected no slash and no dot in front");
  }
  const std::string seed = std::to_string(scenario.seed);
  const fs::path folder = fs::path(out.empty() ? "." : out);
  if (repetition == 0) return folder / name / seed;
  return folder / (name + "-measured") / (repetition == 1 ? seed : seed + "-" + std::to_string(repetition));
}

std::string joined(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

// What stands at `place` may go: nothing, an empty folder, or a result that this one may replace.
void check_replaceable(const fs::path& place, const Scenario& scenario, bool measured, bool force) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(place, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) throw InputError(place.string() + ": is not a folder; results need one of this name");
  if (fs::is_empty(place, error) && !error) return;
  std::ifstream file(place / "run.json", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EarlierRun earlier = compare_with_run_json(scenario, text, measured);
  if (!earlier.readable) {
    throw InputError(place.string() + ": holds no result of ddlsim (no readable run.json) and is left alone; use " +
                     "another name or --out");
  }
  std::erase(earlier.differences, "record");  // more or fewer files of the same run
  if (!force && !earlier.differences.empty()) {
    throw InputError(place.string() + ": holds the result of another scenario (" + joined(earlier.differences) +
                     (earlier.differences.size() == 1 ? " differs" : " differ") +
                     "); use --force to replace it, or another name or --out");
  }
}

void write_weights(StagedFolder& folder, const RunResult& result) {
  static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");
  for (std::size_t i = 0; i < result.weights.size(); ++i) {
    const std::vector<float>& weights = result.weights[i];
    if (weights.empty()) continue;  // a timing-only run has none
    const std::string_view values(reinterpret_cast<const char*>(weights.data()), weights.size() * sizeof(float));
    const bool assembled = result.weights.size() == 1 && result.workers > 1;
    const std::string owner = assembled ? "model" : result.nodes.at(i);
    folder.write(weights_file_name(result.weights_at_servers ? "server" : owner),
                 {safetensors_header(weights.size()), values});
  }
}

}  // namespace

std::string result_folder(const std::string& out, const Scenario& scenario, bool force, int repetition) {
  const fs::path place = place_of(out, scenario, repetition);
  check_replaceable(place, scenario, repetition > 0, force);
  check_can_make(place);
  return place.string();
}

std::string write_results(const std::string& out, const Scenario& scenario, const RunResult& result, bool force) {
  const fs::path place = place_of(out, scenario, result.measured ? result.measured->repetition : 0);
  check_replaceable(place, scenario, result.measured.has_value(), force);
  const std::string digest = digest_of(result);
  StagedFolder folder(place);
  folder.write("run.json", {run_json(scenario, digest, result.measured)});
  folder.write("summary.json", {summary_json(scenario, result, digest)});
  folder.write("timing.json", {timing_json(result)});
  folder.write("curve.csv", {curve_csv(result)});
  folder.write("traffic.csv", {traffic_csv(result)});
  folder.write("pairs.csv", {pairs_csv(result)});
  if (scenario.record.iterations) folder.write("iterations.csv", {iterations_csv(result)});
  if (!result.answers.empty()) folder.write("requests.csv", {requests_csv(result)});
  if (scenario.record.weights) write_weights(folder, result);
  if (result.trace) {
    folder.write("trace.json", {trace_json(scenario, result)});
    folder.write("links.csv", {links_csv(result)});
  }
  folder.publish(is_result_file);
  return place.string();
}

}  // namespace ddl

#include "sim/results/writing/results.hpp"

#include <bit>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "core/base/check.hpp"
#include "sim/results/writing/csv.hpp"
#include "sim/results/writing/folder.hpp"
#include "sim/results/writing/requests.hpp"
#include "sim/results/writing/run_json.hpp"
#include "sim/results/writing/safetensors.hpp"
#include "sim/results/writing/summary.hpp"
#include "sim/results/writing/timing_json.hpp"
#include "sim/results/writing/trace_json.hpp"

namespace ddl::results {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view file_names[] = {"run.json",    "summary.json", "timing.json", "curve.csv", "iterations.csv",
                                           "traffic.csv", "pairs.csv",    "trace.json",  "links.csv", "requests.csv"};

bool is_result_file(const std::string& name) {
  for (const std::string_view ours : file_names) {
    if (name == ours) return true;
  }
  return name.starts_with("weights-") && name.ends_with(".safetensors");
}

// `name` must be the name of one folder: results of one scenario never land among another's, or outside.
fs::path place_of(const std::string& out, const scenario::Scenario& scenario, int repetition) {
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
void check_replaceable(const fs::path& place, const scenario::Scenario& scenario, bool measured, bool force) {
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

void add_weights(std::vector<ResultFile>& files, const experiment::RunResult& result) {
  static_assert(std::endian::native == std::endian::little, "safetensors are little-endian");
  for (std::size_t i = 0; i < result.weights.size(); ++i) {
    const std::vector<float>& weights = result.weights[i];
    if (weights.empty()) continue;  // a timing-only run has none
    const bool assembled = result.weights.size() == 1 && result.workers > 1;
    const std::string owner = assembled ? "model" : result.nodes.at(i);
    files.push_back({weights_file_name(result.weights_at_servers ? "server" : owner), [&weights] {
                       std::string text = safetensors_header(weights.size());
                       return text.append(reinterpret_cast<const char*>(weights.data()),
                                          weights.size() * sizeof(float));
                     }});
  }
}

}  // namespace

std::string result_folder(const std::string& out, const scenario::Scenario& scenario, bool force, int repetition) {
  const fs::path place = place_of(out, scenario, repetition);
  check_replaceable(place, scenario, repetition > 0, force);
  check_can_make(place);
  return place.string();
}

std::vector<ResultFile> result_files(const scenario::Scenario& scenario, const experiment::RunResult& result,
                                     const std::string& digest) {
  std::vector<ResultFile> files;
  if (scenario.record.iterations) files.push_back({"iterations.csv", [&] { return iterations_csv(result); }});
  files.push_back({"curve.csv", [&] { return curve_csv(result); }});
  files.push_back({"pairs.csv", [&] { return pairs_csv(result); }});
  files.push_back({"traffic.csv", [&] { return traffic_csv(result); }});
  if (!result.answers.empty()) files.push_back({"requests.csv", [&] { return requests_csv(result); }});
  if (result.trace) {
    files.push_back({"links.csv", [&] { return links_csv(result); }});
    files.push_back({"trace.json", [&] { return trace_json(scenario, result); }});
  }
  files.push_back({"summary.json", [&, digest] { return summary_json(scenario, result, digest); }});
  if (scenario.record.weights) add_weights(files, result);
  return files;
}

std::string write_results(const std::string& out, const scenario::Scenario& scenario,
                          const experiment::RunResult& result, bool force) {
  const fs::path place = place_of(out, scenario, result.measured ? result.measured->repetition : 0);
  check_replaceable(place, scenario, result.measured.has_value(), force);
  const std::string digest = digest_of(result);
  StagedFolder folder(place);
  folder.write("run.json", {run_json(scenario, digest, result.measured)});
  folder.write("timing.json", {timing_json(result)});
  for (const ResultFile& file : result_files(scenario, result, digest)) folder.write(file.name, {file.text()});
  folder.publish(is_result_file);
  return place.string();
}

}  // namespace ddl::results

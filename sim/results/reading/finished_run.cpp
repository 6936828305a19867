#include "sim/results/reading/finished_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "core/base/check.hpp"
#include "sim/results/identity/identity_json.hpp"
#include "sim/results/writing/summary.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::results {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const fs::path& file, const std::string& what) {
  throw InputError(file.string() + ": " + what);
}

Json object_in(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(file, "cannot be read; expected a result of ddlsim");
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) refuse(file, "is not a JSON object; expected a result of ddlsim");
  return json;
}

// The member `key` of `json`, which must be of T's kind.
template <class T>
T member(const Json& json, const char* key, const fs::path& file) {
  const auto found = json.find(key);
  try {
    if (found != json.end()) return found->get<T>();
  } catch (const Json::exception&) {
  }
  refuse(file, fmt::format("$.{}: is missing or of the wrong kind; expected a result of ddlsim", key));
}

bool has(const Json& json, const char* part, const char* key) {
  return json.contains(part) && json[part].is_object() && json[part].contains(key);
}

// The value of a key ("bounds.step_s") in summary.json; null where its object is.
const Json& value_of(const Json& summary, const std::string& key, const fs::path& file) {
  const std::size_t dot = key.find('.');
  if (const auto found = summary.find(key.substr(0, dot)); found != summary.end()) {
    if (dot == std::string::npos || found->is_null()) return *found;
    if (const auto member = found->find(key.substr(dot + 1)); member != found->end()) return *member;
  }
  refuse(file, "$." + key + ": is missing; expected a result of this version of ddlsim");
}

std::optional<double> number_of(const Json& value, const std::string& key, const fs::path& file) {
  if (value.is_null()) return std::nullopt;
  if (value.is_boolean()) return value.get<bool>() ? 1.0 : 0.0;
  if (!value.is_number()) refuse(file, "$." + key + ": is no number; expected a result of ddlsim");
  return value.get<double>();
}

struct Spread {
  std::optional<double> min, mean, max;
};

Spread over_workers(const Json& by_worker, const std::string& key, const fs::path& file) {
  if (!by_worker.is_object()) refuse(file, "$." + key + ": is no object; expected one value per worker");
  std::vector<double> values;
  for (const Json& value : by_worker) {
    if (const auto number = number_of(value, key, file)) values.push_back(*number);
  }
  if (values.empty()) return {};
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {std::ranges::min(values), sum / static_cast<double>(values.size()), std::ranges::max(values)};
}

// Summaries of runs that are judged by this metric and have these targets, without values.
Keys keys_of(const std::vector<double>& targets, const scenario::Metric& metric) {
  scenario::Scenario scenario;
  scenario.evaluate.metric = metric.less_is_better ? scenario::MetricName::loss : scenario::MetricName::accuracy;
  (metric.less_is_better ? scenario.evaluate.target_loss : scenario.evaluate.target_accuracy) = targets;
  const run::RunResult nothing;
  return summary_keys(scenario, nothing, summarise(scenario, nothing), "");
}

// The measures among keys, with their values in summary.json; null: without values.
std::vector<Measure> measures_of(const Keys& keys, const Json* summary, const fs::path& file) {
  std::vector<Measure> measures;
  for (const Key& key : keys) {
    if (!key.is_compared || key.value.is_discarded()) continue;
    const double most = key.unit == "share" ? 1 : std::numeric_limits<double>::infinity();
    const std::string group = key.name.substr(0, key.name.find(".<"));
    const auto add = [&](const std::string& name) {
      measures.push_back({name, most, summary ? number_of(value_of(*summary, name, file), name, file) : std::nullopt});
    };
    if (key.name.ends_with(".<worker>")) {
      const Spread spread = summary ? over_workers(value_of(*summary, group, file), group, file) : Spread();
      measures.insert(measures.end(), {{group + ".min", most, spread.min},
                                       {group + ".mean", most, spread.mean},
                                       {group + ".max", most, spread.max}});
    } else if (key.name.ends_with(".<target>")) {
      for (const auto& [target, value] : key.value.items()) add(group + "." + target);
    } else {
      add(key.name);
    }
  }
  return measures;
}

std::vector<FileDigest> data_digests_of(const Json& files) {
  std::vector<FileDigest> digests;
  if (!files.is_object()) return digests;
  for (const auto& [name, digest] : files.items()) {
    if (digest.is_string()) digests.push_back({name, digest.get<std::string>()});
  }
  return digests;
}

const scenario::Metric& metric_in(const Json& scenario) {
  const bool has_metric = has(scenario, "evaluate", "metric");
  return has_metric && scenario["evaluate"]["metric"] == Json(scenario::by_loss.word) ? scenario::by_loss
                                                                                      : scenario::by_accuracy;
}

std::vector<double> targets_in(const Json& scenario, const scenario::Metric& metric) {
  const std::string key = fmt::format("target_{}", metric.word);
  std::vector<double> targets;
  if (!has(scenario, "evaluate", key.c_str())) return targets;
  for (const Json& target : scenario["evaluate"][key]) {
    if (target.is_number()) targets.push_back(target.get<double>());
  }
  return targets;
}

}  // namespace

std::vector<Measure> measures_of(const std::vector<double>& targets, const scenario::Metric& metric) {
  return measures_of(keys_of(targets, metric), nullptr, {});
}

std::optional<double> FinishedRun::measure(std::string_view key) const {
  for (const Measure& measure : measures) {
    if (measure.key == key) return measure.value;
  }
  return std::nullopt;
}

FinishedRun read_finished(const fs::path& folder) {
  FinishedRun run;
  run.folder = folder;
  const fs::path file = folder / "run.json";
  const Json json = object_in(file);
  if (const int version = member<int>(json, "schema_version", file); version != result_schema_version) {
    refuse(file, fmt::format("$.schema_version: {} is unknown; this program reads {}", version, result_schema_version));
  }
  const Json scenario = member<Json>(json, "scenario", file);
  if (!scenario.is_object()) refuse(file, "$.scenario: is no object; expected a result of ddlsim");
  run.scenario = scenario.dump(2);
  run.has_platform_file = has(scenario, "platform", "file");
  run.has_data_path = has(scenario, "data", "path");
  run.platform_digest = member<std::string>(json, "platform_digest", file);
  run.data = data_digests_of(member<Json>(json, "data_digests", file));
  run.measured = json.contains("measured");
  run.digest = member<std::string>(json, "digest", file);
  const fs::path summary_file = folder / "summary.json";
  const Json summary = object_in(summary_file);
  run.stopped_by = member<std::string>(summary, "stopped_by", summary_file);
  if (has(summary, "busiest_link", "name"))
    run.busiest_link = member<std::string>(summary["busiest_link"], "name", summary_file);
  const scenario::Metric& metric = metric_in(scenario);
  run.measures = measures_of(keys_of(targets_in(scenario, metric), metric), &summary, summary_file);
  if (member<std::string>(summary, "digest", summary_file) != run.digest) {
    refuse(summary_file, "$.digest: differs from that of run.json; expected the two of one run");
  }
  return run;
}

}  // namespace ddl::results

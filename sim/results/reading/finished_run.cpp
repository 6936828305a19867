#include "sim/results/reading/finished_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/check.hpp"
#include "sim/results/identity/identity_json.hpp"
#include "sim/results/writing/summary_keys.hpp"
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

// What `path` leads to in `json`; null where something on the way is null.
const Json* at_path(const Json& json, std::string_view path) {
  const Json* here = &json;
  while (!here->is_null()) {
    // A target's accuracy has a dot of its own.
    const auto whole = here->find(std::string(path));
    if (whole != here->end()) return &*whole;
    const std::size_t dot = path.find('.');
    const auto next = dot == std::string_view::npos ? here->end() : here->find(std::string(path.substr(0, dot)));
    if (next == here->end()) return nullptr;
    here = &*next;
    path.remove_prefix(dot + 1);
  }
  return here;
}

struct Spread {
  std::optional<double> min, mean, max;
};

Spread over_workers(const Json& by_worker) {
  std::vector<double> values;
  for (const auto& [worker, value] : by_worker.items()) {
    if (value.is_number()) values.push_back(value.get<double>());
  }
  if (values.empty()) return {};
  double sum = 0;
  for (const double value : values) sum += value;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {*least, sum / static_cast<double>(values.size()), *most};
}

constexpr std::string_view of_each_worker = ".<worker>", of_each_target = ".<target>";

// "idle_fraction" of "idle_fraction.<worker>".
std::string group_of(std::string_view name) { return std::string(name.substr(0, name.find(".<"))); }

std::optional<double> value_of(const Json& summary, const std::string& key, const fs::path& file) {
  for (const SummaryKey& known : summary_keys()) {
    const std::string name = group_of(known.name);
    if (!std::string_view(known.name).ends_with(of_each_worker) || !key.starts_with(name + ".")) continue;
    const Json by_worker = member<Json>(summary, name.c_str(), file);
    if (!by_worker.is_object()) refuse(file, "$." + name + ": is no object; expected one value per worker");
    const Spread spread = over_workers(by_worker);
    return key.ends_with(".min") ? spread.min : key.ends_with(".max") ? spread.max : spread.mean;
  }
  const Json* value = at_path(summary, key);
  const auto known = std::ranges::find(summary_keys(), std::string_view(key), &SummaryKey::name);
  if (value == nullptr && known != summary_keys().end() && known->use == KeyUse::newer) return std::nullopt;
  if (value == nullptr) refuse(file, "$." + key + ": is missing; expected a result of this version of ddlsim");
  if (value->is_null()) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>() ? 1.0 : 0.0;
  if (!value->is_number()) refuse(file, "$." + key + ": is no number; expected a result of ddlsim");
  return value->get<double>();
}

void read_summary(const Json& summary, const fs::path& file, FinishedRun& run) {
  run.algorithm = member<std::string>(summary, "algorithm", file);
  run.stopped_by = member<std::string>(summary, "stopped_by", file);
  const Json workers = member<Json>(summary, "iterations_per_worker", file);
  for (const auto& [worker, steps] : workers.items()) run.workers.push_back(worker);
  const Json link = member<Json>(summary, "busiest_link", file);
  if (link.is_object()) run.busiest_link = member<std::string>(link, "name", file);
  for (const std::string& key : measure_keys(run.targets, run.metric)) {
    run.measures.push_back({key, value_of(summary, key, file)});
  }
}

std::vector<FileDigest> data_digests_of(const Json& files) {
  std::vector<FileDigest> digests;
  if (!files.is_object()) return digests;
  for (const auto& [name, digest] : files.items()) {
    if (digest.is_string()) digests.push_back({name, digest.get<std::string>()});
  }
  return digests;
}

// Results of earlier versions do not say what they were made from.
void read_inputs(const Json& json, FinishedRun& run) {
  const Json platform_digest = json.value("platform_digest", Json());
  if (!platform_digest.is_string()) return;
  run.platform_digest = platform_digest.get<std::string>();
  run.data = data_digests_of(json.value("data_digests", Json()));
}

// Results of earlier versions know of accuracy alone.
void read_metric(const Json& scenario, FinishedRun& run) {
  const auto evaluate = scenario.find("evaluate");
  if (evaluate == scenario.end() || !evaluate->is_object()) return;
  if (evaluate->value("metric", Json()) == Json(scenario::by_loss.word)) run.metric = scenario::by_loss;
  for (const Json& target : evaluate->value(fmt::format("target_{}", run.metric.word), Json::array())) {
    if (target.is_number()) run.targets.push_back(target.get<double>());
  }
}

std::string_view word_of_targets(const scenario::Metric& metric) {
  return metric.word == scenario::by_accuracy.word ? metric.word : "target";
}

}  // namespace

std::string best_of(const scenario::Metric& metric) { return fmt::format("best_{}", metric.word); }

std::string time_to(const scenario::Metric& metric) { return fmt::format("time_to_{}_s", word_of_targets(metric)); }
std::string bytes_to(const scenario::Metric& metric) { return fmt::format("bytes_to_{}", word_of_targets(metric)); }
std::string time_to(double target, const scenario::Metric& metric) {
  return fmt::format("{}.{}", time_to(metric), target);
}
std::string bytes_to(double target, const scenario::Metric& metric) {
  return fmt::format("{}.{}", bytes_to(metric), target);
}

const scenario::Metric* metric_of(std::string_view key) {
  for (const scenario::Metric* metric : {&scenario::by_accuracy, &scenario::by_loss}) {
    if (key == best_of(*metric) || key.starts_with(fmt::format("final_{}.", metric->word))) return metric;
  }
  return nullptr;
}

double most_of_measure(std::string_view key) {
  if (const scenario::Metric* metric = metric_of(key)) return metric->most;
  const bool is_share = key.starts_with("idle_fraction") || key.ends_with("utilisation");
  return is_share ? 1 : std::numeric_limits<double>::infinity();
}

std::vector<std::string> measure_keys(const std::vector<double>& targets, const scenario::Metric& metric) {
  const auto is_of_another = [&](std::string_view name) {
    const scenario::Metric* best_of_one = metric_of(name);
    if (best_of_one != nullptr) return name.starts_with("best_") && best_of_one->word != metric.word;
    if (!name.ends_with(of_each_target)) return false;
    return group_of(name) != time_to(metric) && group_of(name) != bytes_to(metric);
  };
  std::vector<std::string> keys;
  for (const SummaryKey& key : summary_keys()) {
    const std::string_view name = key.name;
    if (key.use == KeyUse::told || is_of_another(name)) continue;
    if (name.ends_with(of_each_worker)) {
      for (const char* measure : {".min", ".mean", ".max"}) keys.push_back(group_of(name) + measure);
    } else if (name.ends_with(of_each_target)) {
      for (const double target : targets) keys.push_back(group_of(name) + fmt::format(".{}", target));
    } else {
      keys.emplace_back(name);
    }
  }
  return keys;
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
  run.schema_version = member<int>(json, "schema_version", file);
  if (run.schema_version < 1 || run.schema_version > result_schema_version) {
    refuse(file, fmt::format("$.schema_version: {} is unknown; this program reads up to {}", run.schema_version,
                             result_schema_version));
  }
  const Json scenario = member<Json>(json, "scenario", file);
  if (!scenario.is_object()) refuse(file, "$.scenario: is no object; expected a result of ddlsim");
  run.name = member<std::string>(scenario, "name", file);
  run.seed = member<std::uint64_t>(scenario, "seed", file);
  read_metric(scenario, run);
  run.scenario = scenario.dump(2);
  run.has_platform_file = at_path(scenario, "platform.file") != nullptr;
  run.has_data_path = at_path(scenario, "data.path") != nullptr;
  read_inputs(json, run);
  run.measured = json.contains("measured");
  run.digest = member<std::string>(json, "digest", file);
  const fs::path summary_file = folder / "summary.json";
  const Json summary = object_in(summary_file);
  read_summary(summary, summary_file, run);
  if (member<std::string>(summary, "digest", summary_file) != run.digest) {
    refuse(summary_file, "$.digest: differs from that of run.json; expected the two of one run");
  }
  return run;
}

}  // namespace ddl::results

#include "sim/record/run_json.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "core/nn/gemm.hpp"
#include "sim/scenario/read.hpp"

namespace ddl {
std::string run_json(const Scenario& scenario, const std::string& digest) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["schema_version"] = result_schema_version;
  json["scenario"] = Json::parse(describe(scenario));
  json["provenance"] = {{"program", "ddlsim"},
                        {"version", DDLSIM_VERSION},
                        {"simgrid", DDLSIM_SIMGRID_VERSION},
                        {"math_mode", "native"},
                        {"math_kernels", gemm_kernels()}};
  json["digest"] = digest;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

EarlierRun compare_with_run_json(const Scenario& scenario, const std::string& text) {
  using Json = nlohmann::json;
  const Json run = Json::parse(text, nullptr, false);
  if (!run.is_object() || !run.contains("schema_version") || !run.contains("scenario") ||
      !run["scenario"].is_object()) {
    return {};
  }
  const Json& theirs = run["scenario"];
  const Json ours = Json::parse(describe(scenario));
  std::set<std::string> keys;
  for (const auto& [key, value] : theirs.items()) keys.insert(key);
  for (const auto& [key, value] : ours.items()) keys.insert(key);
  EarlierRun earlier{true, {}};
  for (const std::string& key : keys) {
    if (theirs.value(key, Json()) != ours.value(key, Json())) earlier.differences.push_back(key);
  }
  return earlier;
}

}  // namespace ddl

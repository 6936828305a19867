#include "sim/record/run_json.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "core/nn/blas.hpp"
#include "sim/scenario/read.hpp"

namespace ddl {
namespace {

// Raised when a reader of the files would have to know.
constexpr int schema_version = 1;

}  // namespace

std::string run_json(const Scenario& scenario, const std::string& digest) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["schema_version"] = schema_version;
  json["scenario"] = Json::parse(describe(scenario));
  const bool native = scenario.math.mode == MathMode::native;
  json["provenance"] = {{"program", "ddlsim"},
                        {"version", DDLSIM_VERSION},
                        {"simgrid", DDLSIM_SIMGRID_VERSION},
                        {"math_mode", name_of(scenario.math.mode)},
                        {"math_kernels", native ? blas_kernels() : "own, the same bits on every CPU"}};
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

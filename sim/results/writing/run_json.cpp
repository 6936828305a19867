#include "sim/results/writing/run_json.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "core/nn/kernels/blas.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/scenario/reading/read.hpp"

namespace ddl::results {
namespace {

using Json = nlohmann::ordered_json;

Json program() {
  return {{"program", "ddlsim"},
          {"version", DDLSIM_VERSION},
          {"build", program_digest()},
          {"simgrid", DDLSIM_SIMGRID_VERSION}};
}

// What the scenario does not decide.
std::string identity_of(Json provenance) {
  provenance.erase("math_mode");
  provenance.erase("math_kernels");
  return provenance.dump();
}

}  // namespace

std::string run_json(const scenario::Scenario& scenario, const std::string& digest,
                     const std::optional<experiment::Measurement>& measured) {
  Json json;
  json["schema_version"] = result_schema_version;
  json["scenario"] = Json::parse(scenario::describe(scenario));
  json["provenance"] = program();
  const bool native = scenario.math.mode == nn::MathMode::native;
  json["provenance"]["math_mode"] = name_of(scenario.math.mode);
  json["provenance"]["math_kernels"] = native ? nn::blas_kernels() : "own, the same bits on every CPU";
  if (measured) {
    json["measured"] = {{"kernel", measured->kernel},
                        {"congestion_control", measured->congestion_control},
                        {"queue_s", measured->queue_s},
                        {"compute", measured->compute},
                        {"repetition", measured->repetition}};
  }
  json["digest"] = digest;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string program_identity() { return identity_of(program()); }

bool is_run_json_of(const scenario::Scenario& scenario, const std::string& identity, const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("schema_version", Json()) != result_schema_version) return false;
  if (json.contains("measured")) return false;
  const Json theirs = json.value("provenance", Json());
  return theirs.is_object() && identity_of(theirs) == identity &&
         json.value("scenario", Json()) == Json::parse(scenario::describe(scenario));
}

EarlierRun compare_with_run_json(const scenario::Scenario& scenario, const std::string& text, bool measured) {
  using Unordered = nlohmann::json;
  const Unordered run = Unordered::parse(text, nullptr, false);
  if (!run.is_object() || !run.contains("schema_version") || !run.contains("scenario") ||
      !run["scenario"].is_object()) {
    return {};
  }
  const Unordered& theirs = run["scenario"];
  const Unordered ours = Unordered::parse(scenario::describe(scenario));
  std::set<std::string> keys;
  for (const auto& [key, value] : theirs.items()) keys.insert(key);
  for (const auto& [key, value] : ours.items()) keys.insert(key);
  EarlierRun earlier{true, {}};
  if (run.contains("measured") != measured) earlier.differences.push_back("measured");
  for (const std::string& key : keys) {
    if (theirs.value(key, Unordered()) != ours.value(key, Unordered())) earlier.differences.push_back(key);
  }
  return earlier;
}

}  // namespace ddl::results

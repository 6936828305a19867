#include "sim/results/identity/earlier_run.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "core/nn/math_mode.hpp"
#include "sim/results/identity/identity_json.hpp"

namespace ddl::results {
namespace {

using Unordered = nlohmann::json;  // whatever the order of keys

// A scenario without what changes no result, and with what its platform and its data are in place of where they lie.
Unordered compared(Unordered scenario, const Unordered& digests) {
  const auto replace = [&](const char* part, const char* path, const char* digest) {
    if (!scenario.contains(part) || !scenario[part].is_object() || !scenario[part].contains(path)) return;
    scenario[part].erase(path);
    scenario[part]["content"] = digests.value(digest, Unordered::object());
  };
  scenario.erase("description");
  scenario.erase("load");  // plug-ins are compared by content, with the program
  if (scenario.contains("model") && scenario["model"].is_object()) {
    for (const char* key : {"folder", "processes", "timeout"}) scenario["model"].erase(key);
  }
  replace("platform", "file", "platform_digest");
  replace("data", "path", "data_digests");
  return scenario;
}

// Math of a run with this provenance, as far as it decides a bit of the results.
std::string math_in(const Unordered& provenance) {
  const auto word = [&](const char* key) {
    const Unordered value = provenance.value(key, Unordered());
    return value.is_string() ? value.get<std::string>() : "";
  };
  const std::string mode = word("math_mode");
  return mode == name_of(nn::MathMode::native) ? mode + ", " + word("math_kernels") : mode;
}

Unordered without_math(Unordered provenance) {
  provenance.erase("math_mode");
  provenance.erase("math_kernels");
  return provenance;
}

}  // namespace

EarlierRun compare_with_earlier(const RunIdentity& identity, const std::string& run_json, bool measured) {
  const Unordered theirs = Unordered::parse(run_json, nullptr, false);
  if (!theirs.is_object() || !theirs.contains("schema_version") || !theirs.contains("scenario") ||
      !theirs["scenario"].is_object()) {
    return {};
  }
  EarlierRun earlier{.readable = true};
  const Unordered ours = object_of(identity_keys(identity));
  const Unordered provenance = theirs.value("provenance", Unordered());
  earlier.other_program = !provenance.is_object() || theirs["schema_version"] != ours["schema_version"] ||
                          without_math(provenance) != without_math(ours["provenance"]);
  if (identity.learns && provenance.is_object() && math_in(provenance) != math_in(ours["provenance"])) {
    earlier.other_math = math_in(provenance);
  }
  if (theirs.contains("measured") != measured) earlier.differences.emplace_back("measured");
  const Unordered there = compared(theirs["scenario"], theirs), here = compared(ours["scenario"], ours);
  std::set<std::string> keys;
  for (const Unordered* scenario : {&there, &here}) {
    for (const auto& [key, value] : scenario->items()) keys.insert(key);
  }
  for (const std::string& key : keys) {
    if (there.value(key, Unordered()) != here.value(key, Unordered())) earlier.differences.push_back(key);
  }
  const bool other_files = theirs.value("model_digests", Unordered()) != ours.value("model_digests", Unordered());
  const bool other_version =
      identity.model_version && theirs.value("model_version", Unordered()) != ours["model_version"];
  if ((other_files || other_version) && std::ranges::find(earlier.differences, "model") == earlier.differences.end()) {
    earlier.differences.emplace_back("model");
  }
  return earlier;
}

}  // namespace ddl::results

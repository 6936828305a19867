// The keys of summary.json: what each means, and how it comes from a run. A new one is a line of summary_keys.cpp;
// the file, its dictionary (ddlsim describe summary.json), the columns of sweeps and comparisons follow from it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "sim/results/writing/summary.hpp"

namespace ddl::results {

// What keys are computed from.
struct SummarySource {
  const scenario::Scenario& scenario;
  const run::RunResult& result;
  const Summary& summary;
  const std::string& digest;
};

// Whether a key is a number that finished runs are compared by; newer: one that results of earlier versions lack.
enum class KeyUse { told, measured, newer };

struct SummaryKey {
  // "samples"; "final_loss.min", a member of an object, which is null when all its members are;
  // "idle_fraction.<worker>" and "bytes_to_accuracy.<target>", an object with a member for each.
  const char* name;
  const char* unit;
  const char* meaning;
  KeyUse use;
  // The object as a whole where it has a member for each. A discarded value leaves the key out.
  nlohmann::ordered_json (*value)(const SummarySource&);
};

// In the file's order.
std::span<const SummaryKey> summary_keys();

// summary.json's text.
std::string summary_json(const scenario::Scenario& scenario, const run::RunResult& result, const std::string& digest);

}  // namespace ddl::results

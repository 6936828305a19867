// run.json: what was run, with what, and the digest of what came out; and timing.json.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/results/identity/run_identity.hpp"
#include "sim/results/writing/table_text.hpp"
#include "sim/run/rows/run_result.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::results {

// Depends on nothing but the identity, the digest of what came out, and how it came out: the result's settings, network
// and measurement.
std::string run_json(const RunIdentity& identity, const std::string& digest, const run::RunResult& result = {});

// timing.json's text: what the run cost the machine, the only file that may differ between two runs; and, where data
// have a relative path, the way from the result's `folder` to where the scenario lay.
std::string timing_json(const scenario::Scenario& scenario, const run::RunResult& result,
                        const std::filesystem::path& folder);

// Meanings of their keys, in order.
std::vector<ColumnEntry> run_json_keys();
std::vector<ColumnEntry> timing_json_keys();

}  // namespace ddl::results

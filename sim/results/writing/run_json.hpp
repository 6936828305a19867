// run.json: what was run, with what, and the digest of what came out; and timing.json.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/results/inputs/inputs.hpp"
#include "sim/run/rows/run_result.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::results {

// Of the result files; raised when a reader of them would have to know.
// 1: the digest is over times and utilisations, too. 2: it is not.
constexpr int result_schema_version = 2;

// Depends on nothing but the scenario, its inputs, the program and its libraries, and the digest; and on how it was
// measured, if it was.
std::string run_json(const scenario::Scenario& scenario, const Inputs& inputs, const std::string& digest,
                     const std::optional<run::Measurement>& measured = std::nullopt,
                     const std::optional<platform::NetworkPlan>& network = std::nullopt);

// What of a run.json's provenance is the program's, and must be alike for one result to stand for another: all but the
// math, which is the machine's, too. Digests the executable, so ask once.
std::string program_identity();
// What `text` says of the scenario it is the run.json of, compared with `scenario` and its inputs, ignoring order and
// layout: the platform and the data by their content, not by their paths, and whatever the description. A measured run
// differs from a simulated one in "measured".
struct EarlierRun {
  bool readable = false;                  // a run.json of this program at all
  std::vector<std::string> differences;   // top-level keys of the two scenarios that differ
  std::string identity;                   // of the program that wrote it, as program_identity
  std::optional<std::string> other_math;  // "native, OpenBLAS 0.3.21 Haswell", where it would be another here
};
EarlierRun compare_with_run_json(const scenario::Scenario& scenario, const Inputs& inputs, const std::string& text,
                                 bool measured = false);

// Whether `text` is the run.json of a simulated run of this scenario by the program of that identity, with the math
// that would run here: the one rule by which a result counts as that of a run which need not be made again.
bool is_run_json_of(const scenario::Scenario& scenario, const Inputs& inputs, const std::string& identity,
                    const std::string& text);

// timing.json's text: what the run cost the machine, the only file that may differ between two runs; and, where data
// have a relative path, the way from the result's `folder` to where the scenario lay.
std::string timing_json(const scenario::Scenario& scenario, const run::RunResult& result,
                        const std::filesystem::path& folder);

}  // namespace ddl::results

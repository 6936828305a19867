// The files of a result.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/results/identity/run_identity.hpp"
#include "sim/results/writing/staged_folder.hpp"
#include "sim/results/writing/table_text.hpp"
#include "sim/run/rows/run_result.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::results {

using WriteFile = std::function<void(const std::string& name, const std::string& text)>;
// All files but run.json, platform.xml and timing.json.
void write_result_files(const scenario::Scenario& scenario, const run::RunResult& result, const std::string& digest,
                        const WriteFile& write);

// Names of these files in a result's folder: tables first, and events before what is computed from them.
std::vector<std::string> compared_files(const std::filesystem::path& folder);

// The platform as a file of SimGrid's, before the scenario's factors.
constexpr const char* platform_file = "platform.xml";

// Whether the digest is over this table, but for its times.
bool is_in_digest(std::string_view name);

// Whether a name is that of one of a result's files, be it there or not.
bool is_result_file(std::string_view name);

// Meaning of each column and key (`ddlsim describe curve.csv`), for all files that are tables or objects of keys.
std::vector<FileDictionary> result_dictionary();

// Fills the hidden folder with every file of the result. Throws InputError.
void stage_result(const StagedFolder& folder, const scenario::Scenario& scenario, const RunIdentity& identity,
                  const run::RunResult& result);

// The digest over what was learned and counted, 16 hex digits: curve, requests and pairs without their times, each
// worker's steps, messages, bytes, and the final weights. Times depend on SimGrid's version in their last digits.
std::string digest_of(const run::RunResult& result);

}  // namespace ddl::results

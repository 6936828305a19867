// Where results go: DIR/<name>/<seed>, and what may be replaced there.
#pragma once

#include <filesystem>
#include <string>

#include "sim/results/identity/run_identity.hpp"
#include "sim/results/writing/staged_folder.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::results {

// Earlier results that may be replaced: one of the same scenario; one of any scenario; or whatever is there, because
// the caller owns the folder.
enum class Replace { same_scenario, any_scenario, anything };

// DIR/<name>/<seed>. Throws InputError if the name cannot be a folder's.
std::filesystem::path result_folder(const std::string& out, const scenario::Scenario& scenario);

// Throws InputError if a result cannot be written to `place`, or may not replace what is there. To be called before a
// run: nothing is lost.
void check_place(const std::filesystem::path& place, const scenario::Scenario& scenario, Replace replace,
                 bool measured = false);

// Puts what stage_result has written in its place. Throws InputError if what is there may not be replaced.
void publish_result(StagedFolder& folder, const std::filesystem::path& place, const RunIdentity& identity,
                    bool measured, Replace replace);

}  // namespace ddl::results

// The laboratory's commands. All throw only exceptions that report_error handles.
#pragma once

#include <string>
#include <vector>

#include "core/node/registry.hpp"
#include "sim/cli/options/command.hpp"

namespace ddl::cli {

// Like run_command_line, with the laboratory's commands.
int run_laboratory(const Registry& systems, std::vector<std::string> words);

// Runs a scenario over real TCP, several times for each seed; checks all result folders first.
Command add_emulate(CLI::App& app, const Registry& systems);
// Measures this machine.
Command add_bench(CLI::App& app, const Registry& systems);
// Judges training systems by the laws that hold for each; kNotAsExpected if one fails.
Command add_laws(CLI::App& app, const Registry& systems);

}  // namespace ddl::cli

// Command-line options of the laboratory's commands.
#pragma once

#include <vector>

#include "sim/cli/options/command.hpp"

namespace ddl::cli {

// emulate, reproduce, bench
std::vector<Command> add_laboratory_commands(CLI::App& app);

}  // namespace ddl::cli

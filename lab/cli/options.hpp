// Command-line options of the laboratory's commands.
#pragma once

#include <vector>

#include "core/node/registry.hpp"
#include "sim/cli/options/command.hpp"

namespace ddl::cli {

// emulate, reproduce, bench
std::vector<Command> add_laboratory_commands(CLI::App& app, const Registry& systems);

}  // namespace ddl::cli

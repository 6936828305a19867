// The command line of the laboratory.
#pragma once

#include <string>
#include <vector>

#include "core/node/registry.hpp"

namespace ddl::cli {

// As run_command_line, with the laboratory's commands.
int run_laboratory(const Registry& systems, std::vector<std::string> words);

}  // namespace ddl::cli

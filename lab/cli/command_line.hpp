// The command line of the laboratory.
#pragma once

#include <string>
#include <vector>

namespace ddl::cli {

// As run_command_line, with the laboratory's commands.
int run_laboratory(std::vector<std::string> words);

}  // namespace ddl::cli

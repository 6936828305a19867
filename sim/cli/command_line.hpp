// The command line: parses arguments and runs the command.
#pragma once

#include <string>
#include <vector>

namespace ddl::cli {

// Runs one command; `words` are the arguments without the program's name. Results go to stdout. Bad arguments are
// reported here; everything else that goes wrong is thrown, for report_error.
int run_command_line(std::vector<std::string> words);

}  // namespace ddl::cli

// The command line: parses arguments and runs the command.
#pragma once

#include <string>
#include <vector>

#include "core/node/registry.hpp"

namespace CLI {
class App;
}

namespace ddl::cli {

struct Command;

// Runs one command; `words` are the arguments without the program's name. Results go to stdout. Bad arguments are
// reported here; everything else that goes wrong is thrown, for report_error.
int run_command_line(const Registry& systems, std::vector<std::string> words);

// Gives a command line the form of its help, and --version.
void set_up(CLI::App& app);

// Parses `words`, the first of which names one of the commands of `app`, and runs that.
int run_one_of(const std::vector<Command>& commands, CLI::App& app, std::vector<std::string> words);

// The rest of main(): runs a command line with the systems of the program and of the libraries that --load and
// DDLSIM_PLUGINS name, and reports what it throws.
int run_program(int argc, char** argv, Registry systems,
                int (*command_line)(const Registry&, std::vector<std::string>));

}  // namespace ddl::cli

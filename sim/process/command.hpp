// Other programs, started without a shell.
#pragma once

#include <string>
#include <vector>

namespace ddl::process {

struct CommandOutput {
  int code = 0;      // 127 if there is no such command
  std::string text;  // output to either stream
};

// Runs a command, found in PATH, to its end; it inherits blocked and ignored signals. Throws InputError if it cannot be
// started, OutOfResources if nothing can.
CommandOutput output_of(const std::vector<std::string>& words);

// Replaces this process by a command, found in PATH. Returns errno if it cannot be started.
int become(const std::vector<std::string>& words);

}  // namespace ddl::process

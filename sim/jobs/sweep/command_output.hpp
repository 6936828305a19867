#pragma once

#include <string>
#include <vector>

namespace ddl::jobs {

struct CommandOutput {
  int code = 0;      // 127 if there is no such command
  std::string text;  // what it wrote, to either stream
};

// Runs a command to its end, without a shell and with signals as they were. Throws InternalError if none can be
// started.
CommandOutput output_of(const std::vector<std::string>& words);

}  // namespace ddl::jobs

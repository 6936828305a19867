// The options of `ddlsim plot`.
#pragma once

#include "sim/cli/options/command.hpp"

namespace ddl::cli {

Command add_plot(CLI::App& app);

}  // namespace ddl::cli

// Whole runs whose results are handed back as they are in memory: what laws, measurements and tests look at.
#pragma once

#include <functional>

#include "sim/run/run.hpp"

namespace ddl::run {

// Runs in a child process. Throws InputError, RunFailed, Interrupted, InternalError.
RunResult run(const scenario::Scenario& scenario, const RunOptions& options = {});

// The result of `work`, which a child process does. Throws likewise.
RunResult in_child_of(const scenario::Scenario& scenario, const std::function<RunResult()>& work);

}  // namespace ddl::run

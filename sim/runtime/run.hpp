// The whole program as one function.
#pragma once

#include <functional>

#include "sim/process/failures.hpp"
#include "sim/record/run_result.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl {

struct Progress {
  double fraction = 0;  // of the stop condition, 0 .. 1
  double simulated_s = 0;
  double accuracy = 0;  // as last evaluated; negative before
};

struct RunOptions {
  int threads = 0;                                // math threads; 0: all cores
  std::function<void(const Progress&)> progress;  // called now and then, in the run's own process
};

// Runs in this process, which can do so once: SimGrid's clock is never reset.
RunResult run_here(const Scenario& scenario, const RunOptions& options);

// Runs in a child process and hands back what it found. Throws InputError, RunFailed, Interrupted, InternalError.
RunResult run(const Scenario& scenario, const RunOptions& options = {});

// The same of `work` in a child process, whatever makes the result. What it finds wrong with a setting, it tells by the
// setting's path alone ("$.stop: ...").
RunResult in_child_of(const Scenario& scenario, const std::function<RunResult()>& work);

// `check`: the bounds of a scenario, from a child process. Throws InputError.
Bounds bounds_of(const Scenario& scenario);

}  // namespace ddl

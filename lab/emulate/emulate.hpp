// A scenario over real TCP between network namespaces of this machine, in real time: the reference for simulations.
#pragma once

#include <string>

#include "lab/emulate/testbed/testbed.hpp"
#include "sim/run/run.hpp"

namespace ddl::emulate {

struct EmulateOptions {
  std::string congestion_control = "cubic";  // for every connection
  bool real_compute = false;                 // a gradient takes its math's time, and does not sleep
  TestbedSettings testbed;                   // its seed is that of the scenario's network
  double limit_s = 600;                      // time limit of a run; a run that exceeds it fails
  int repetition = 1;                        // number of the run among those of one scenario and seed
  run::RunOptions run;
};

// Runs in this process, which must do nothing else: everything made here vanishes with the process. Needs root,
// iproute2 and network namespaces, and a star of at most 32 hosts. Throws InputError, RunFailed, InternalError.
run::RunResult emulate_here(const scenario::Scenario& scenario, const EmulateOptions& options);

// The same in a child process, which hands back the measurements. Throws Interrupted, too.
run::RunResult emulate(const scenario::Scenario& scenario, const EmulateOptions& options);

}  // namespace ddl::emulate

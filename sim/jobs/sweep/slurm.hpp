// The same sweep as an array of a Slurm cluster's jobs. Slurm schedules; here is only what is to be run, and waiting.
// The sweep file, the program and the results must be on a file system that the nodes share.
//
// The folder .slurm in the sweep's holds the script, which runs each task is to do, the tasks' logs and what failed;
// it goes when all runs have succeeded. Options of the site (partition, account, time limit) come from sbatch's own
// environment variables, such as SBATCH_PARTITION.
#pragma once

#include <string>
#include <vector>

#include "sim/jobs/sweep/run_sweep.hpp"

namespace ddl::jobs {

struct SlurmSweep {
  std::string file;                           // the sweep's
  std::vector<scenario::Override> overrides;  // given in addition to it
  std::string out;
  int at_once = 0;  // tasks that may run at the same time; 0: no limit of ours
  std::function<void(const RunsProgress&)> progress;
};

// The script given to sbatch for so many open runs: a task for each, or as many as Slurm allows.
std::string slurm_script(const SlurmSweep& sweep, const std::string& folder, std::size_t open);

// Submits what is open and waits for it. An array of this sweep that is still there, because an earlier call was
// killed, is waited for first. Ctrl-C cancels the array (Interrupted); the next call goes on from there. Throws
// InputError if there is no Slurm or it refuses.
SweepOutcome run_sweep_on_slurm(const SweepPlan& plan, SweepEstimate outlook, const SlurmSweep& sweep);

// Makes the runs of task `task` of the array, on a node. Throws InputError if the sweep is no longer the one submitted.
void run_slurm_task(const SweepPlan& plan, const std::string& out, std::size_t task);

}  // namespace ddl::jobs

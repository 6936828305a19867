// Runs a study's cells in child processes, as many at once as there are cores, and keeps what is finished.
#pragma once

#include <functional>
#include <string>

#include "core/node/registry.hpp"
#include "lab/studies/study.hpp"
#include "sim/jobs/jobs.hpp"

namespace ddl::studies {

struct StudyOptions {
  std::string out = "results";  // kept runs go to DIR/cells/<study>/
  int at_once = 1;
  bool finished_only = false;  // makes no run: the outcome of those that are there, by whatever build of the program
  std::function<void(const jobs::RunsProgress&)> progress;  // after every run, and once before
};

// Finished runs are kept, so that the same call goes on where it was interrupted; a run of another scenario, of another
// platform or by another build of the program is made again. All scenarios are checked before the
// first starts. Throws what run() throws.
Outcome run_study(const Registry& systems, const Study& study, const StudyOptions& options);

}  // namespace ddl::studies

// Runs a study's cells in child processes, as many at once as there are cores, and keeps what is finished.
#pragma once

#include <functional>
#include <string>

#include "sim/runtime/runs_progress.hpp"
#include "sim/studies/reproduce/study.hpp"

namespace ddl::studies {

struct StudyOptions {
  std::string out = "results";  // kept runs go to DIR/cells/<study>/
  int at_once = 1;
  std::function<void(const runtime::RunsProgress&)> progress;  // after every run, and once before
};

// A finished run is kept under a digest of its resolved scenario and of the program itself, so that the same call goes
// on where it was interrupted, and a program that was built anew starts afresh. All scenarios are checked before the
// first starts. Throws what run() throws.
Outcome run_study(const Study& study, const StudyOptions& options);

}  // namespace ddl::studies

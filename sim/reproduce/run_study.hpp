// Runs a study's cells in child processes, as many at once as there are cores, and keeps what is finished.
#pragma once

#include <functional>
#include <string>

#include "sim/reproduce/study.hpp"

namespace ddl {

struct StudyProgress {
  std::size_t runs = 0, finished = 0, kept = 0;  // `kept`: of those finished, from an earlier call
  std::string latest;                            // the run finished last; empty before the first
};

struct StudyOptions {
  std::string out = "results";  // kept runs go to DIR/cells/<study>/
  int at_once = 1;
  std::function<void(const StudyProgress&)> progress;  // after every run, and once before
};

// A finished run is kept under a digest of its resolved scenario and of the program itself, so that the same call goes
// on where it was interrupted, and a program that was built anew starts afresh. All scenarios are checked before the
// first starts. Throws what run() throws.
Outcome run_study(const Study& study, const StudyOptions& options);

}  // namespace ddl

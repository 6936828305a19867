// Jobs as lines of JSON, for programs that decide what to run while runs are at work.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "core/node/registry.hpp"

namespace ddl::jobs {

struct BatchOptions {
  int at_once = 1;
  bool trusted = false;        // whether programs and libraries that scenarios name are started and opened
  bool finished_only = false;  // starts nothing: jobs are "kept", by whatever build of the program, or "open"
};

// Jobs by how they ended; those that were done, kept or cancelled are not counted.
struct BatchOutcome {
  std::size_t failed = 0, refused = 0;
};

// Reads jobs from the descriptor `input` until its end and runs them, `at_once` at a time, in their order. A line is
//   {"id": any, "scenario": path or object, "folder": where an object's relative paths start, "set": {path: value},
//    "seed": n, "out": the run's own folder, "force": bool}
// or {"cancel": id}, which ends the jobs of that id. As each job ends `answer` gets a line,
//   {"id", "state": "done" | "kept" | "failed" | "refused" | "cancelled" | "open", "folder", "seconds", "error"}
// Kept: its folder has the result of that run already. Refused: it was not started, for it is no job, its scenario is
// wrong, another job has its folder and no answer yet, or a result that it may not replace is there. Its lines are read
// while runs are at work, and kept as text until a job can start; where they fill much memory, the next ones wait.
// Throws Interrupted, InputError where nothing can be read; then and in whatever way this process ends, result folders
// are whole or absent. No thread may run at the call.
BatchOutcome run_batch(const Registry& systems, const BatchOptions& options, int input,
                       const std::function<void(const std::string& line)>& answer);

}  // namespace ddl::jobs

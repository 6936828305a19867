// How far many runs are, each of them a child process.
#pragma once

#include <cstddef>
#include <string>

namespace ddl::runtime {

struct RunsProgress {
  std::size_t runs = 0, finished = 0;
  std::size_t kept = 0;                 // of those finished, from an earlier call
  std::size_t failed = 0;               // not among those finished
  double work_done = 0, work_left = 0;  // in this call, in any one unit
  std::string latest{};                 // the run that ended last; empty before the first
};

// Cores this process may use, at least one.
int usable_cores();

}  // namespace ddl::runtime

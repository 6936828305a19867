// One random scenario, run twice.
#pragma once

#include <cstdint>
#include <string>

namespace ddl {

struct SoakOutcome {
  std::string problem;  // "" when all is well
  std::string scenario;
  std::string ended;  // "iterations", "time", ..., or "refused" or "failed": an answer too, if twice the same
  std::string algorithm;
  std::string refusal;  // the error of a refused run
};

// Draws scenario `seed` and runs it with one math thread and with three. Runs may end, fail (exit code 3) or be
// refused, both alike. Problems are: a crash, a broken invariant, more than `most_seconds` of a processor, results that
// differ, counts that do not add up.
SoakOutcome soak(std::uint64_t seed, unsigned most_seconds);

// Scenario `seed` made long and steady: no faults, no jitter, 200 steps of each worker, timing only where its system
// and settings allow it. Says how it beats its lower bound, or "".
struct BoundOutcome {
  std::string problem, scenario, algorithm;
  bool judged = false;  // it ran long enough to be judged
};
BoundOutcome soak_bound(std::uint64_t seed, unsigned most_seconds);

}  // namespace ddl

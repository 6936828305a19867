// What a node has to tell of a run beside its steps.
#pragma once

#include <cstdint>
#include <variant>

#include "core/node/answer.hpp"

namespace ddl {

// The staleness of a step which the worker has begun, known there or, at a server, when its gradient arrives.
struct Staleness {
  int worker = 0;
  std::int64_t step = 0;
  double staleness = 0;
};

// From now on this node goes on without the worker, which it has not heard of for too long, until it does.
struct Suspicion {
  int worker = 0;
};

using Record = std::variant<Staleness, Suspicion, Answer>;

}  // namespace ddl

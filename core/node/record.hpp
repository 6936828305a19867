// What a node has to tell of a run beside its steps.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

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

// What this node drew at random.
struct Draw {
  enum Kind { seed, node };  // of a stream of random numbers; the number of a node
  const char* purpose;       // outlives the run
  std::int64_t number = 0;   // of the draw
  std::uint64_t drawn = 0;
  Kind kind = seed;
};

// What became of a request for a prediction.
struct Answer {
  std::int64_t request = 0;                        // from 0, for each threshold or exit in turn
  std::optional<double> threshold = std::nullopt;  // of early exits that have some
  int exit = 0;                                    // the node that gave the answer
  double arrival_s = 0, answer_s = 0;              // of the request and of its answer, where it was asked
  double bytes = 0;                                // sent for it, without headers
  bool correct = false;
};

using Record = std::variant<Staleness, Suspicion, Answer, Draw>;

}  // namespace ddl

// A node's records for the results, beside its steps.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

namespace ddl {

// The staleness of a step that the worker has begun, known there or, at a server, when its gradient arrives.
struct Staleness {
  int worker = 0;
  std::int64_t step = 0;
  double staleness = 0;
};

// This node goes on without the worker, silent for too long, until it hears from it.
struct Suspicion {
  int worker = 0;
};

// A random draw of this node.
struct Draw {
  enum Kind { seed, node };  // seed of a random stream, or number of a node
  const char* purpose;       // outlives the run
  std::int64_t number = 0;   // number of the draw
  std::uint64_t drawn = 0;
  Kind kind = seed;
};

// The outcome of a request for a prediction.
struct Answer {
  std::int64_t request = 0;                        // from 0, for each threshold or exit in turn
  std::optional<double> threshold = std::nullopt;  // for early exits with thresholds
  int exit = 0;                                    // the node that answered
  double arrival_s = 0, answer_s = 0;              // both at the node that was asked
  double bytes = 0;                                // sent for the request, without headers
  bool correct = false;
};

using Record = std::variant<Staleness, Suspicion, Answer, Draw>;

}  // namespace ddl

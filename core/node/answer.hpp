// What became of a request for a prediction.
#pragma once

#include <cstdint>
#include <optional>

namespace ddl {

struct Answer {
  std::int64_t request = 0;                        // from 0, for each threshold or exit in turn
  std::optional<double> threshold = std::nullopt;  // of early exits that have some
  int exit = 0;                                    // the node that gave the answer
  double arrival_s = 0, answer_s = 0;              // of the request and of its answer, where it was asked
  double bytes = 0;                                // sent for it, without headers
  bool correct = false;
};

}  // namespace ddl

// The gradient of one minibatch, and the update that an optimizer step takes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/node/message.hpp"

namespace ddl {

struct Gradient {
  Payload values = nullptr;  // null when timing only
  double loss = 0;           // the minibatch's mean
  // The weights at which it was taken, where the L2 penalty is computed; null without a penalty.
  Payload at = nullptr;
  double run_share = 0;  // the share of the run that is over, if the learning rate follows it
};

// One step of the optimizer with a weighted sum of gradients.
struct Update {
  std::span<const float> gradient = {};            // empty: changes nothing
  float weight = 1;                                // total weight of the gradients in the sum
  std::span<const float> coordinate_weights = {};  // in place of `weight`
  // The model's step count grows by gradients / workers: by default a whole step. A step taken in slices adds nothing
  // until its last slice.
  std::int64_t gradients = 1, workers = 1;
  Payload penalised_at = nullptr;  // weights (of the slice or all) for the L2 penalty; null: the current ones
  std::optional<double> run_share = std::nullopt;  // sets the learning rate; none: the node's own, now
  std::size_t first = 0;                           // the coordinate at which the slice begins
  // Updates of this slice so far, for slices that count their own steps because their gradients overtake those of
  // others. They decide its rate, `gradients` and `workers` are the slice's, and the model's step count stays.
  std::optional<std::int64_t> updates = std::nullopt;
};

}  // namespace ddl

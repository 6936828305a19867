// What one minibatch teaches, and what an optimizer step is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/node/message.hpp"

namespace ddl {

struct Gradient {
  Payload values = nullptr;  // null when timing only
  double loss = 0;           // the minibatch's mean
  // The weights at which it was taken, where L2's part belongs; null without such a penalty: nobody asks.
  Payload at = nullptr;
  double run_share = 0;  // of the run that is over, if the learning rate follows it
};

// One step of the optimizer with a sum of gradients, each of which has a weight.
struct Update {
  std::span<const float> gradient = {};  // empty: changes nothing
  float weight = 1;                      // of all gradients in the sum together
  std::span<const float> weights = {};   // instead, if it differs by coordinate
  // The model's steps go on by `gradients` out of `workers`: a whole step unless told. A step in slices: by none until
  // the last of them.
  std::int64_t gradients = 1, workers = 1;
  Payload penalised_at = nullptr;  // where L2's part is taken, of the slice or all; null: at the weights as they are
  std::optional<double> run_share = std::nullopt;  // that the rate follows; none: the node's own, now
  std::size_t first = 0;                           // of a slice: the coordinate at which it begins
  // How many updates a slice has had whose steps are not those of the model, for its gradients overtake others'.
  // They decide its rate, `gradients` and `workers` are the slice's, and the model's steps do not go on.
  std::optional<std::int64_t> updates = std::nullopt;
};

}  // namespace ddl

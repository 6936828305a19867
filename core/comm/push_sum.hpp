// Push-sum (Kempe et al., FOCS 2003) of models, as Assran et al. (ICML 2019) train with it.
//
// Every worker holds a share x of the models' sum and a share w of their number; z = x / w is its model, in weights().
// It keeps and sends equal parts of both, so the sums are kept whatever the graph, and even while parts are under way
// or workers have left, where averages of models alone would be biased.
//
// A message carries x and w before they are divided, which its receiver does: all targets then share the sender's
// memory. w itself is counted as part of the header.
//
// On a directed graph a worker whose sources have gone, but not its targets, would give its share away, and its steps
// would be too large for what is left of it. Where hosts come and go, a step is therefore taken with no less than the
// share that w would be if all hosts had stayed, and a worker does not give away a share that is close to zero. What w
// would be a worker knows on regular graphs alone.
#pragma once

#include <vector>

#include "core/comm/neighbour_exchange.hpp"

namespace ddl::comm {

class PushSum {
 public:
  // With `overlap` a round's parts are added in the next round. What comes late is added when it comes.
  PushSum(Node& node, NeighbourExchange& neighbours, bool overlap);

  // W. Begins a round and takes an optimizer step from x, with a gradient at z.
  void apply(const Gradient& gradient);
  // The parts of the targets; keeps one of its own.
  void send();
  // W. The parts of the sources.
  void receive();

 private:
  double share_for_step() const;
  double kept_after(const std::vector<int>& sent) const;
  void scale_weights(double factor);
  void age_ordinary_share();
  void add(std::vector<Message> parts);

  Node& node_;
  NeighbourExchange& neighbours_;
  const bool overlap_;
  double w_ = 1;
  double ordinary_ = 1, under_way_ = 0;  // w, and what the next round brings, had all hosts stayed
};

}  // namespace ddl::comm

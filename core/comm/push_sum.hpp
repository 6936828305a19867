// Push-sum (Kempe et al., FOCS 2003) of models, as Assran et al. (ICML 2019) train with it.
//
// Every worker holds a share x of the models' sum and a share w of their number; z = x / w is its model, in weights().
// It keeps and sends equal parts of both. So the sums are conserved on any graph, even while parts are under way or
// after workers have left; averages of models alone would be biased.
//
// A message carries x and w undivided, and its receiver divides: all targets share the sender's memory. w is counted as
// part of the header.
//
// On a directed graph a worker that has lost its sources but not its targets would give its share away, and its steps
// would be too large for what is left. Where hosts come and go, a step therefore uses at least the ordinary share (w if
// all hosts had stayed), and a worker does not give away a share close to zero. Workers know the ordinary share only on
// regular graphs.
#pragma once

#include <vector>

#include "core/comm/neighbour_exchange.hpp"

namespace ddl::comm {

class PushSum {
 public:
  // With `overlap` a round's parts are added in the next round. Late ones are added on arrival.
  PushSum(Node& node, NeighbourExchange& neighbours, bool overlap);

  // W. Begins a round and takes an optimizer step from x, with a gradient at z.
  void apply(const Gradient& gradient);
  // Sends the targets' parts, and keeps one.
  void send();
  // W. Adds the parts of the sources.
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
  double ordinary_ = 1, under_way_ = 0;  // w, and the next round's gain, had all hosts stayed
};

}  // namespace ddl::comm

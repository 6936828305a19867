// Order in which bursts of messages that one host begins at one instant enter its device. Each message has a writing
// thread, and two of these are at work at a time, as on two processors; their order is drawn uniformly. The two
// alternate: a turn has more than n bursts with probability 1 / sqrt(n + 1). This law was read off captured packets
// over distances (docs/decisions/0078-packets-on-slow-links.md), and is used for local networks as well.
//
// Only the bursts that windows permit at that instant take turns. Later ones follow their acknowledgements.
#pragma once

#include <functional>
#include <vector>

#include "core/base/rng.hpp"

namespace ddl::network::packets {

class Turns {
 public:
  // `random`: the host's; each call of take() draws from it.
  explicit Turns(const Stream& random) : random_(random) {}

  // `messages`: the caller's numbers, without repeats. `send_burst` sends one burst of a message and returns true, or
  // returns false if the message is done.
  void take(std::vector<int> messages, const std::function<bool(int message)>& send_burst);

 private:
  double draw_bursts();

  Stream random_;
};

}  // namespace ddl::network::packets

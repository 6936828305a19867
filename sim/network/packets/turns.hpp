// In what order bursts of messages that one host begins at one instant enter its device. Each message has a thread that
// writes it. Two of them, in no certain order, are at work at a time, as on two processors: now one has its way, now
// the other, for more than n bursts with a probability of 1 / sqrt(n + 1). That law was read off captured packets, not
// fitted to times (docs/decisions/0082-messages-take-turns.md).
#pragma once

#include <functional>
#include <vector>

#include "core/base/rng.hpp"

namespace ddl::network::packets {

class Turns {
 public:
  explicit Turns(const Stream& random) : random_(random) {}

  // `send_burst` lets a message send one burst; it is false, and the message is done, when that may send none.
  void take(std::vector<int> messages, const std::function<bool(int message)>& send_burst);

 private:
  double draw_bursts();

  Stream random_;
};

}  // namespace ddl::network::packets

#include "sim/network/packets/turns.hpp"

#include <cmath>
#include <deque>
#include <utility>

namespace ddl::network::packets {

void Turns::take(std::vector<int> messages, const std::function<bool(int message)>& send_burst) {
  shuffle<int>(messages, random_);
  std::deque<int> left(messages.begin(), messages.end());  // the first two are at work; the first has its turn
  while (!left.empty()) {
    const double most = draw_bursts();
    double sent = 0;
    while (sent < most && send_burst(left.front())) ++sent;
    if (sent < most) left.pop_front();
    // If nothing was left to send, the turn was empty, and the other message has just had its own.
    const bool is_others_turn = sent == most || sent == 0;
    if (is_others_turn && left.size() > 1) std::swap(left[0], left[1]);
  }
}

// More than n with a probability of 1 / sqrt(n + 1).
double Turns::draw_bursts() {
  const double share = 1 - random_.uniform();  // in (0, 1]
  return std::floor(1 / (share * share));
}

}  // namespace ddl::network::packets

#include "sim/network/packets/turns.hpp"

#include <cmath>
#include <deque>
#include <utility>

namespace ddl::network::packets {

void Turns::take(std::vector<int> messages, const std::function<bool(int message)>& send_burst) {
  shuffle<int>(messages, random_);
  std::deque<int> left(messages.begin(), messages.end());  // the first has its turn, the second is at work as well
  while (!left.empty()) {
    bool may_go_on = true;
    for (double bursts = draw_bursts(); bursts >= 1 && may_go_on; --bursts) may_go_on = send_burst(left.front());
    if (!may_go_on) {
      left.pop_front();
    } else if (left.size() > 1) {
      std::swap(left[0], left[1]);
    }
  }
}

// More than n with a probability of 1 / sqrt(n + 1).
double Turns::draw_bursts() {
  const double share = 1 - random_.uniform();  // in (0, 1]
  return std::floor(1 / (share * share));
}

}  // namespace ddl::network::packets

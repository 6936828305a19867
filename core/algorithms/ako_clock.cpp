#include "core/algorithms/ako_clock.hpp"

#include <algorithm>

namespace ddl {

PingPongClock::PingPongClock(Node& node, int port)
    : node_(node), port_(port), received_(static_cast<std::size_t>(node.cluster().workers)) {}

void PingPongClock::start() {
  node_.spawn("clock", [this] { serve(); });
}

void PingPongClock::received(std::int64_t steps) {
  if (steps <= received_[static_cast<std::size_t>(node_.id())]) return;
  if (node_.id() == 0) return note(0, steps);
  received_[static_cast<std::size_t>(node_.id())] = steps;
  node_.send(0, {.port = port_, .step = steps});
}

void PingPongClock::serve() {
  while (true) {
    const Message message = node_.receive(port_);
    if (node_.id() == 0) {
      note(message.source, message.step);
    } else {
      everyone_ = message.step;
      node_.changed();
    }
  }
}

void PingPongClock::note(int worker, std::int64_t steps) {
  received_[static_cast<std::size_t>(worker)] = steps;
  const std::int64_t least = *std::ranges::min_element(received_);
  if (least <= everyone_) return;
  everyone_ = least;
  for (int other = 1; other < node_.cluster().workers; ++other) node_.send(other, {.port = port_, .step = least});
  node_.changed();
}

}  // namespace ddl

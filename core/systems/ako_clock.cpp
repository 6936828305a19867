#include "core/systems/ako_clock.hpp"

#include <algorithm>
#include <limits>

namespace ddl::systems {

PingPongClock::PingPongClock(Node& node, int port)
    : node_(node), port_(port), received_(static_cast<std::size_t>(node.cluster().workers)) {
  node.membership().watch(port);
  for (int worker = 0; worker < node.cluster().workers; ++worker) {
    if (!node.up(worker)) received_[static_cast<std::size_t>(worker)] = std::numeric_limits<std::int64_t>::max();
  }
}

void PingPongClock::start() {
  node_.spawn("clock", [this] { serve(); });
}

void PingPongClock::received(std::int64_t steps) {
  if (steps == received_[static_cast<std::size_t>(node_.id())]) return;
  if (node_.id() == 0) return note(0, steps);
  received_[static_cast<std::size_t>(node_.id())] = steps;
  node_.send(0, {.port = port_, .step = steps});
}

void PingPongClock::serve() {
  while (true) {
    const Message message = node_.receive(port_, "the clock's pings and pongs");
    if (message.is<MembershipEvent>()) {
      note_event(message.source, message.as<MembershipEvent>().presence);
    } else if (node_.id() == 0) {
      note(message.source, message.step);
    } else {
      all_received_ = message.step;
      node_.notify();
    }
  }
}

// Who is away holds nobody up. A worker 0 that has come back hears of everybody anew.
void PingPongClock::note_event(int node, Presence presence) {
  if (node >= node_.cluster().workers) return;
  if (node_.id() == 0 && presence != Presence::up) note(node, std::numeric_limits<std::int64_t>::max());
  if (node != 0 || presence != Presence::up) return;
  all_received_ = 0;
  const std::int64_t steps = received_[static_cast<std::size_t>(node_.id())];
  if (steps > 0) node_.send(0, {.port = port_, .step = steps});
}

void PingPongClock::note(int worker, std::int64_t steps) {
  received_[static_cast<std::size_t>(worker)] = steps;
  const std::int64_t least = *std::ranges::min_element(received_);
  if (least == all_received_) return;
  all_received_ = least;
  for (int other = 1; other < node_.cluster().workers; ++other) node_.send(other, {.port = port_, .step = least});
  node_.notify();
}

}  // namespace ddl::systems

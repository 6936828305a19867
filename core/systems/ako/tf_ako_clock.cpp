#include "core/systems/ako/tf_ako_clock.hpp"

#include <algorithm>
#include <limits>

namespace ddl::systems {

TfAkoClock::TfAkoClock(Node& node, int port)
    : node_(node), port_(port), received_(static_cast<std::size_t>(node.cluster().workers)) {
  node.membership().watch(port);
  for (int worker = 0; worker < node.cluster().workers; ++worker) {
    if (!node.up(worker)) received_[static_cast<std::size_t>(worker)] = std::numeric_limits<std::int64_t>::max();
  }
}

void TfAkoClock::start() {
  node_.spawn("clock", [this] { serve(); });
}

void TfAkoClock::wait(std::int64_t steps) {
  node_.wait_until([&] { return all_received_ >= steps || !node_.up(0); }, "gradients at every worker (clock)");
}

void TfAkoClock::received(std::int64_t steps) {
  if (steps == received_[static_cast<std::size_t>(node_.id())]) return;
  if (node_.id() == 0) return note(0, steps);
  received_[static_cast<std::size_t>(node_.id())] = steps;
  node_.send(0, {.port = port_, .step = steps});
}

void TfAkoClock::serve() {
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

// A worker that is not there holds no other up. When worker 0 comes back, all workers ping it again.
void TfAkoClock::note_event(int node, Presence presence) {
  if (node_.id() == 0 && presence != Presence::up) note(node, std::numeric_limits<std::int64_t>::max());
  if (node != 0 || presence != Presence::up) return;
  all_received_ = 0;
  const std::int64_t steps = received_[static_cast<std::size_t>(node_.id())];
  if (steps > 0) node_.send(0, {.port = port_, .step = steps});
}

void TfAkoClock::note(int worker, std::int64_t steps) {
  received_[static_cast<std::size_t>(worker)] = steps;
  const std::int64_t least = *std::ranges::min_element(received_);
  if (least == all_received_) return;
  all_received_ = least;
  for (int other = 1; other < node_.cluster().workers; ++other) node_.send(other, {.port = port_, .step = least});
  node_.notify();
}

}  // namespace ddl::systems

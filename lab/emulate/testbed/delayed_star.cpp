#include "lab/emulate/testbed/delayed_star.hpp"

#include <algorithm>

namespace ddl::emulate {

double DelayedStar::next_s() const {
  double next = DelayLine::never;
  for (const Host& host : hosts_) next = std::min({next, host.up.next_s(), host.down.next_s()});
  return next;
}

std::optional<DelayedStar::Arrival> DelayedStar::step() {
  const double now_s = next_s();
  for (Host& each : hosts_) {
    if (each.up.next_s() == now_s) {
      if (std::optional<Packet> packet = each.up.step()) {
        const int target = packet->target;
        host(target).down.offer(now_s, std::move(*packet));
      }
      return std::nullopt;
    }
    if (each.down.next_s() == now_s) {
      std::optional<Packet> packet = each.down.step();
      if (!packet) return std::nullopt;
      return Arrival{std::move(*packet), now_s};
    }
  }
  return std::nullopt;
}

DelayLine::Counts DelayedStar::counts() const {
  DelayLine::Counts all;
  for (const Host& host : hosts_) {
    all.taken += host.up.counts().taken;
    for (const DelayLine* line : {&host.up, &host.down}) {
      all.dropped += line->counts().dropped;
      all.lost += line->counts().lost;
    }
  }
  return all;
}

}  // namespace ddl::emulate

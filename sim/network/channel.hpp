// An ordered pair of nodes, which is like one TCP connection: first in first out, one message on the wire.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/node/message.hpp"
#include "sim/network/observer.hpp"
#include "sim/network/quiescence.hpp"

namespace ddl::network {

struct Channel {
  int source = 0, target = 0;
  std::vector<Message> queue;        // not yet on the wire
  bool busy = false;                 // it is carried, waits to be sent again, or is about to begin
  std::optional<Message> on_wire{};  // and its size there
  double on_wire_bytes = 0;
  std::optional<double> latency_s{};  // until its first byte is there; none: what the model says of the route
  // The most that its window lets through, where the model TCP says so.
  double most_bytes_per_s = std::numeric_limits<double>::infinity();
  bool waits_to_retry = false;  // the message on the wire was lost and is not there
  int flows = 1;                // that it counts as where links are full
  int transfer = -1;            // the transport's own name for what it carries
  Observer::Handle observed{};
  std::vector<Signal*> waiting_for_room{}, waiting_for_delivery{};

  // A message that counts as several flows is carried as so many equal ones, of whole bytes: SimGrid knows no others.
  double flow_bytes() const { return std::ceil(on_wire_bytes / flows); }

  // The message on the wire is through, and about to be delivered.
  bool has_ended() const { return on_wire && !waits_to_retry && transfer < 0; }

  // Puts the first of the queue on the wire.
  void take_next(double header_bytes) {
    on_wire = std::move(queue.front());
    queue.erase(queue.begin());
    on_wire_bytes = static_cast<double>(on_wire->wire_bytes) + header_bytes;
  }

  std::int64_t undelivered = 0;  // queued or on the wire
  std::int64_t messages = 0;     // put on the wire
  double bytes = 0, bytes_delivered = 0;
  double bytes_lost = 0, bytes_wasted = 0;  // of transmissions that did not arrive; the part of them it had carried
};

using Channels = std::vector<std::map<int, Channel>>;  // by source, then target

// As if it had always been there.
inline Channel& channel_of(Channels& channels, int source, int target) {
  Channel& found = channels[static_cast<std::size_t>(source)][target];
  found.source = source;
  found.target = target;
  return found;
}

// Null if nothing was ever sent there.
inline const Channel* find(const Channels& channels, int source, int target) {
  const auto& from = channels[static_cast<std::size_t>(source)];
  const auto found = from.find(target);
  return found == from.end() ? nullptr : &found->second;
}

}  // namespace ddl::network

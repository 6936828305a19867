// An ordered pair of nodes with messages under way, like one TCP connection: first in, first out, one message on the
// wire. Pairs without messages have no channel; their lasting state is with Accounts, UnevenShares, Losses and the
// transport.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/node/message.hpp"
#include "sim/network/observer.hpp"
#include "sim/network/quiescence.hpp"
#include "sim/network/transmission.hpp"

namespace ddl::network {

struct Channel {
  static constexpr double never = std::numeric_limits<double>::infinity();
  // Idle: just opened. Beginning: takes the next message of its queue in this instant, when told by Network or the
  // transport; exactly one of the two has it in its list.
  enum class Stage { idle, beginning, on_wire, waits_to_retry };

  Stage stage = Stage::idle;
  std::vector<Message> queue{};      // not yet on the wire
  std::optional<Message> on_wire{};  // or about to be sent again
  Transmission transmission{};       // the one of on_wire
  // For a message in slices: when its first byte could leave; then the time that its first slice took from there.
  double left_s = 0, slice_s = 0;
  Observer::Handle observed{};
  std::vector<Signal*> waiting_for_room{}, waiting_for_delivery{};

  std::size_t undelivered() const { return queue.size() + (on_wire ? 1 : 0); }
  bool is_carried() const { return transmission.transfer >= 0; }
  // True if bytes that are sent now go on the wire right behind those before them.
  bool goes_on() const {
    return stage == Stage::on_wire && (queue.empty() || (queue.back().relay && queue.back().relay->sent_s < never));
  }

  // Puts the first of the queue on the wire.
  void take_next(double header_bytes) {
    stage = Stage::on_wire;
    on_wire = std::move(queue.front());
    queue.erase(queue.begin());
    transmission.bytes = transmission.route.within_host() ? 0 : static_cast<double>(on_wire->wire_bytes) + header_bytes;
    transmission.done_bytes = 0;
    transmission.rest_bytes =
        on_wire->relay ? static_cast<double>(on_wire->wire_bytes - on_wire->relay->first_bytes) : 0;
  }
};

using Channels = std::vector<std::map<int, Channel>>;  // by source, then target

// Null if nothing is under way there.
template <class AnyChannels>
auto* find(AnyChannels& channels, const Pair& pair) {
  auto& from = channels[static_cast<std::size_t>(pair.source)];
  const auto found = from.find(pair.target);
  return found == from.end() ? nullptr : &found->second;
}

}  // namespace ddl::network

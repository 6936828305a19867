// What a connection has waiting in its own host's device, of which Linux allows little (TCP small queues: Dumazet,
// 2012, tcp_small_queue_check). A sender hands over bursts of up to 64 KiB, which the device cuts into segments, and a
// burst waits while the device holds more than twice the memory that it takes itself. So a connection fills no deep
// queue of its own host, and what it sends back is not held up there.
//
// Only where the first link is the host's own: a queue behind another device, as a router's, is not known to the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "sim/network/packets/segment.hpp"

namespace ddl::network::packets {

class DeviceQueue {
 public:
  static constexpr std::int64_t most_in_burst = 45;  // segments, of 64 KiB

  // Of a link behind another device: never full.
  DeviceQueue() = default;
  // Of a host's own link, which has no more than `on_their_way` segments on its way when they have left the device.
  explicit DeviceQueue(double on_their_way) : on_their_way_(on_their_way) {}

  void enter() { ++segments_; }
  void leave() { --segments_; }  // comes out of the link, or had no room
  bool is_full_for(std::int64_t burst) const {
    return (static_cast<double>(segments_) - on_their_way_) * memory_of(1) > 2 * memory_of(burst);
  }

 private:
  // Bytes; that of a segment is what `ss -m` says, beside 1,448 of data.
  static double memory_of(std::int64_t burst) { return static_cast<double>(burst) * segment_bytes + 832; }

  double on_their_way_ = std::numeric_limits<double>::infinity();
  std::int64_t segments_ = 0;
};

}  // namespace ddl::network::packets

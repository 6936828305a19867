// A connection's share of its host's device queue. Linux sends bursts of up to 64 KiB, and holds the next one back
// while the device has more than twice that burst's memory (TCP small queues: tcp_small_queue_check). So a connection
// does not fill its own host's queue, and acknowledgements do not wait long behind its data.
//
// This holds if the connection's first link is the host's own. A queue behind another device, such as a router's, is
// unknown to the host. Omitted from Linux's rule: a device may always have 1 ms of the connection's data, and
// retransmissions wait for it as well.
#pragma once

#include <cstdint>

#include "sim/network/packets/segment.hpp"

namespace ddl::network::packets {

class DeviceQueue {
 public:
  // For a connection whose first link is behind another device: never full.
  DeviceQueue() = default;
  // For one whose first link is the host's own. The link outlives this.
  explicit DeviceQueue(const Line& link) : link_(&link) {}

  void enter() { ++segments_; }
  void leave() { --segments_; }  // comes out of the link
  // `burst`: segments, at least one.
  bool is_full_for(std::int64_t burst) const {
    if (link_ == nullptr) return false;
    const double on_their_way = link_->bytes_on_their_way() / frame_of_segment_bytes;
    return (static_cast<double>(segments_) - on_their_way) * memory_of(1) > 2 * memory_of(burst);
  }

 private:
  // In bytes: data, and 832 for a buffer, as shown by `ss -m`.
  static double memory_of(std::int64_t burst) { return static_cast<double>(burst) * segment_bytes + 832; }

  const Line* link_ = nullptr;
  std::int64_t segments_ = 0;
};

}  // namespace ddl::network::packets

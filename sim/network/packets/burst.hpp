// How much Linux sends at once, and when it rather waits for more.
#pragma once

#include <cstdint>

#include "sim/network/packets/congestion_window.hpp"
#include "sim/network/packets/round_trips.hpp"

namespace ddl::network::packets {

struct Burst {
  double bytes = 0;
  bool waits_for_window = false;  // none now, since more of the congestion window is expected to be free soon
};

// What a sender has and may send.
struct Sending {
  double unsent_bytes = 0;
  double room_bytes = 0, receivers_window_bytes = 0;  // left of the receiver's window; all of it
  std::int64_t under_way = 0;                         // segments
  bool may_wait = false;                              // nothing is being made good
  // The first segment that is missing, which is never if nothing is under way; the last that was sent.
  double first_sent_s = 0, last_sent_s = 0;
};

// What the windows allow, up to half of the congestion window, and to a burst: what is paced in about a millisecond,
// two segments at least, and of a quick connection 64 KiB, halved for each 512 us of its least round trip
// (tcp_tso_autosize). The receiver's window may cut off a part of the last segment, not of the first
// (tcp_mss_split_point). Less than a burst waits where the last segment was sent less than a millisecond ago, and an
// acknowledgement is expected in less than one (tcp_tso_should_defer, as it is since Linux 6.18).
Burst next_burst(double now_s, const Sending& sending, const CongestionWindow& window, const RoundTrips& trips);

}  // namespace ddl::network::packets

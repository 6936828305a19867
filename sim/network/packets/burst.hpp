// Size of Linux's bursts, and when it prefers to wait for more data.
#pragma once

#include <cstdint>

#include "sim/network/packets/congestion_window.hpp"
#include "sim/network/packets/round_trips.hpp"

namespace ddl::network::packets {

struct Burst {
  double bytes = 0;
  bool waits_for_window = false;  // none now, since more of the congestion window is expected to be free soon
};

// A sender's data and permission to send.
struct Sending {
  double unsent_bytes = 0;
  double room_bytes = 0, receivers_window_bytes = 0;  // remaining part of the receiver's window; the whole window
  std::int64_t under_way = 0;                         // segments
  bool may_wait = false;                              // no loss is being repaired
  // The first missing segment (never, if nothing is under way); the last one sent.
  double first_sent_s = 0, last_sent_s = 0;
};

// As much as the windows allow, up to half of the congestion window and up to a burst: about a millisecond's paced
// data, at least two segments, and on a quick connection 64 KiB, halved for each 512 us of its least round trip
// (tcp_tso_autosize). The receiver's window may cut off a part of the last segment, not of the first
// (tcp_mss_split_point). Less than a burst waits if the last segment was sent less than a millisecond ago and an
// acknowledgement is expected within a millisecond (tcp_tso_should_defer, as of Linux 6.18).
Burst next_burst(double now_s, const Sending& sending, const CongestionWindow& window, const RoundTrips& trips);

}  // namespace ddl::network::packets

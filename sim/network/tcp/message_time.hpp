// How long a message takes over a TCP connection with a round trip, where nothing is lost: a window that grows with
// each round trip, and shrinks while the connection is idle. After Cardwell, Savage and Anderson (2000), "Modeling TCP
// latency", section 2, with the rules of RFC 5681 (slow start, congestion avoidance), RFC 6928 (initial window) and
// RFC 2861 (a window that is not used decays), as Linux applies them.
//
// Deterministic, without a clock: what a connection remembers is in TcpWindow. No simulation uses it yet.
#pragma once

#include <limits>

namespace ddl::network {

struct TcpPath {
  double round_trip_s = 0;  // without queues
  double bytes_per_s = 0;   // of frames: the connection's share of the slowest link
};

struct TcpRules {
  double segment_bytes = 1448;  // of data in a full segment; `frame_bytes` with all headers
  double frame_bytes = 1514;
  double initial_segments = 10;
  bool slow_start_after_idle = true;
  double least_timeout_s = 0.2;  // the retransmission timeout is a round trip and this
  double most_segments = std::numeric_limits<double>::infinity();  // of the window: the receiver's, or path and queue
};

// Of one direction of a connection, in segments. As a new connection has it.
struct TcpWindow {
  double segments = 10;
  double slow_start_until = std::numeric_limits<double>::infinity();  // from there on it grows by one per round trip
};

struct TcpMessageTime {
  double seconds = 0;  // from the first byte at the sender to the last at the receiver
  TcpWindow after;
};

// The window after so long without data on the way: halved for each retransmission timeout, down to the initial one.
TcpWindow window_after_idle(TcpWindow window, double idle_s, const TcpPath& path, const TcpRules& rules = {});

// `bytes` of data, sent as fast as the window lets them; `idle_s` since the last of the message before.
TcpMessageTime tcp_message_time(double bytes, const TcpPath& path, double idle_s, const TcpWindow& window,
                                const TcpRules& rules = {});

}  // namespace ddl::network

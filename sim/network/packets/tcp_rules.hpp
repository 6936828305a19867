// How a TCP connection is set, for the packets and for the model that follows whole messages (sim/network/tcp).
#pragma once

#include <limits>

namespace ddl::network::packets {

struct TcpRules {
  double segment_bytes = 1448;  // of data in a full segment
  double initial_segments = 10;
  bool slow_start_after_idle = true;
  double least_timeout_s = 0.2;                                    // a retransmission timeout is a round trip and this
  double most_segments = std::numeric_limits<double>::infinity();  // of the window
};

}  // namespace ddl::network::packets

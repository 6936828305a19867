// Parameters of a TCP connection, for the packets and for the model that follows whole messages (sim/network/tcp).
#pragma once

#include <limits>

namespace ddl::network::packets {

struct TcpRules {
  double segment_bytes = 1448;  // data of a full segment
  double initial_segments = 10;
  bool slow_start_after_idle = true;
  double least_timeout_s = 0.2;                                    // a retransmission timeout is a round trip plus this
  double most_segments = std::numeric_limits<double>::infinity();  // the window's limit
};

}  // namespace ddl::network::packets

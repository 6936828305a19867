// A packet of the delay box, and one direction of an emulated link.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/network/packets/delay_line.hpp"

namespace ddl::emulate {

struct Packet {
  std::vector<std::uint8_t> bytes;  // an IP packet
  int target = 0;                   // node
};

// A link's addition to a packet, so that limits count the same as on a real link.
constexpr double ethernet_bytes = 14;
inline double frame_bytes_of(const Packet& packet) { return static_cast<double>(packet.bytes.size()) + ethernet_bytes; }

using DelayLine = network::DelayLine<Packet>;

}  // namespace ddl::emulate

// A packet of the delay box, and one direction of an emulated link.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/network/packets/delay_line.hpp"

namespace ddl::emulate {

struct Packet {
  std::vector<std::uint8_t> bytes;  // of IP
  int target = 0;                   // node
};

// What a link adds to a packet, so that limits count what they count on a real one.
constexpr double ethernet_bytes = 14;
inline double frame_bytes_of(const Packet& packet) { return static_cast<double>(packet.bytes.size()) + ethernet_bytes; }

using DelayLine = network::DelayLine<Packet>;

}  // namespace ddl::emulate

// The packets of a connection in the model "packets". Messages are cut into segments; segments and bytes are counted
// from 0 over the connection's life.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "sim/network/packets/delay_line.hpp"

namespace ddl::network::packets {

constexpr double segment_bytes = 1448;  // data of a full segment: Ethernet's 1500 without headers of IP and TCP
constexpr double overhead_bytes = 66;   // the rest of a frame: these headers, with time stamps, and Ethernet's
constexpr double frame_of_segment_bytes = segment_bytes + overhead_bytes;

inline std::int64_t segments_in(double bytes) { return static_cast<std::int64_t>(std::ceil(bytes / segment_bytes)); }

constexpr double never_sent = -1;

// Time stamps (RFC 7323) are whole ticks.
constexpr double time_stamp_tick_s = 0.001;
inline double tick_of(double stamp_s) { return std::floor(stamp_s / time_stamp_tick_s); }
inline bool is_before(double stamp_s, double other_s) {
  return stamp_s != never_sent && tick_of(stamp_s) < tick_of(other_s);
}

struct Segment {
  std::int64_t number = 0;
  double bytes = 0, end_bytes = 0;  // its length, and all bytes up to its end
  bool ends_message = false;
  double sent_s = 0;           // time stamp
  double echo_s = never_sent;  // time stamp of the acknowledgement that came last
};

// Segments that have arrived beyond a gap.
struct Block {
  std::int64_t from = 0, to = 0;  // empty: none
  bool operator==(const Block&) const = default;
};

struct Acknowledgement {
  std::int64_t next = 0;          // all segments before it are there
  std::array<Block, 3> blocks{};  // further blocks, the latest first (RFC 2018)
  bool of_duplicate = false;      // the segment had arrived before (RFC 2883)
  double room_ends_bytes = 0;     // bytes before it have room at the receiver
  double sent_s = 0;              // time stamp, echoed by the sender's segments
  double echo_s = never_sent;     // time stamp of the first segment in order since the one before
};

// Size of its frame. Blocks are an option: 8 bytes each, and 4.
inline double bytes_of(const Acknowledgement& tells) {
  double options = 0;
  for (const Block& block : tells.blocks) options += block.from < block.to ? 8 : 0;
  if (tells.of_duplicate) options += 8;
  return overhead_bytes + (options > 0 ? options + 4 : 0);
}

struct Packet {
  int connection = 0;
  int life = 0;  // number of the connection's life: a reopened one ignores packets of earlier lives
  int hops = 0;  // links that it has crossed
  bool is_acknowledgement = false;
  double bytes = 0;            // size of its frame
  Segment segment = {};        // unless it is an acknowledgement
  Acknowledgement tells = {};  // if it is
};

inline double frame_bytes_of(const Packet& packet) { return packet.bytes; }

using Line = DelayLine<Packet>;

}  // namespace ddl::network::packets

// What the two ends of a connection of the model "packets" send each other. Messages are cut into segments, which are
// counted from 0 on over the connection's life, as are bytes.
#pragma once

#include <cmath>
#include <cstdint>

#include "sim/network/packets/delay_line.hpp"

namespace ddl::network::packets {

constexpr double segment_bytes = 1448;  // of data in a full segment: Ethernet's 1500 without IP's and TCP's headers
constexpr double overhead_bytes = 66;   // of a frame: these headers, with time stamps, and Ethernet's
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

struct Acknowledgement {
  std::int64_t next = 0;                      // all segments before it are there
  std::int64_t block_from = 0, block_to = 0;  // and those of this block, beyond a gap (RFC 2018); empty: none
  bool of_duplicate = false;                  // what came was there already (RFC 2883)
  double room_ends_bytes = 0;                 // bytes before it have room at the receiver
  double sent_s = 0;                          // time stamp, echoed by the sender's segments
  double echo_s = never_sent;                 // time stamp of the first segment in order since the one before
};

struct Packet {
  int connection = 0;
  int life = 0;  // of the connection: one that is opened again takes no notice of what was sent before
  int hops = 0;  // links that it has crossed
  bool is_acknowledgement = false;
  double bytes = 0;            // of its frame
  Segment segment = {};        // unless it is an acknowledgement
  Acknowledgement tells = {};  // if it is
};

inline double frame_bytes_of(const Packet& packet) { return packet.bytes; }

using Line = DelayLine<Packet>;

}  // namespace ddl::network::packets

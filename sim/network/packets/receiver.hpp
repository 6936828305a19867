// The receiving end of a TCP connection, like Linux 6.18: it acknowledges every second segment, and at once each of the
// first ones, those that widen its window, and a message's end; a lone one after 40 ms (RFC 5681, 4.2). Out of order,
// the first few segments are acknowledged at once, and others together, within a millisecond. It advertises room for
// more segments as the application reads them. Without a clock.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "sim/network/packets/receive_window.hpp"
#include "sim/network/packets/segment.hpp"

namespace ddl::network::packets {

class Receiver {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  // `handshake_s`: the round trip of the segments that open the connection.
  Receiver(double most_window_segments, double handshake_s);

  // The acknowledgement to send now, if any. `timeout_s` is the sender's; a real receiver estimates its own.
  std::optional<Acknowledgement> take(double now_s, const Segment& segment, double timeout_s);
  double next_s() const { return std::min(acknowledge_at_s_, tell_blocks_at_s_); }
  Acknowledgement wake(double now_s);  // call it at next_s()

  std::int64_t next() const { return next_; }                     // all segments before it are there
  double next_bytes() const { return next_bytes_; }               // in them
  double room_ends_bytes() const { return window_.end_bytes(); }  // as last advertised
  double missing_bytes_before(double end_bytes) const;

 private:
  struct Beyond {
    std::int64_t to = 0;
    double end_bytes = 0;
  };
  bool add(const Segment& segment);
  void observe_round_trip(double now_s, double echo_s);
  double waiting_bytes() const { return next_bytes_ - read_bytes_; }
  double held_bytes() const { return waiting_bytes() + beyond_bytes_; }
  void read(double now_s, double bytes);
  void note_latest(std::int64_t number);
  bool waits_for_more_beyond(double now_s);
  Acknowledgement acknowledge(double now_s, bool of_duplicate);

  const double handshake_s_;
  std::int64_t next_ = 0, told_ = 0;        // all before it are there; that of the last acknowledgement (Last.ACK.sent)
  double next_bytes_ = 0, read_bytes_ = 0;  // there, in order; read
  double end_bytes_ = 0, told_bytes_ = 0;   // a message's end; acknowledged bytes
  double message_begins_bytes_ = 0;         // the message that is being read, or comes next
  double stamp_s_ = never_sent;             // to echo (TS.Recent: RFC 7323, 4.3)
  std::map<std::int64_t, Beyond> blocks_;   // from, up to
  double beyond_bytes_ = 0;                 // in them
  std::array<std::int64_t, 4> latest_;      // a segment of each block that something was last added to, latest first
  std::int64_t told_beyond_after_ = 0;      // `next_` when these blocks were first reported at once, and later
  int told_beyond_ = 0, untold_beyond_ = 0;
  int at_once_;
  double last_s_ = never, acknowledge_at_s_ = never, tell_blocks_at_s_ = never;
  ReceiveWindow window_;
  double round_trip_s_ = never, last_echo_s_ = never_sent;
};

}  // namespace ddl::network::packets

// The receiving end of a TCP connection as Linux 6.18 has it: it acknowledges every second segment, and at once each of
// the first ones, those that come out of order, those that widen its window, and a message's end; a lone one after 40
// ms (RFC 5681, 4.2). It tells how many segments more it has room for, as the application reads them. Without a clock.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "sim/network/packets/segment.hpp"

namespace ddl::network::packets {

class Receiver {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  explicit Receiver(double most_window_segments);

  // What to tell the sender now, if anything. `timeout_s` is the sender's, of which a real receiver has an estimate of
  // its own.
  std::optional<Acknowledgement> take(double now_s, const Segment& segment, double timeout_s);
  double next_s() const { return acknowledge_at_s_; }
  Acknowledgement wake(double now_s);  // when that has come

  std::int64_t next() const { return next_; }                  // all segments before it are there
  double room_ends_bytes() const { return room_ends_bytes_; }  // as it told last
  double missing_bytes_before(double end_bytes) const;

 private:
  struct Block {
    std::int64_t to = 0;
    double end_bytes = 0;
  };
  bool add(const Segment& segment);
  double room() const;
  void observe_round_trip(double now_s, double echo_s);
  void read(double now_s, double bytes);
  Acknowledgement acknowledge(double now_s);

  const double most_window_;                // bytes
  std::int64_t next_ = 0, told_ = 0;        // all before it are there; that of the last acknowledgement (Last.ACK.sent)
  double next_bytes_ = 0, read_bytes_ = 0;  // there, in order; read
  double end_bytes_ = 0, told_bytes_ = 0;   // a message's end; acknowledged
  double message_begins_bytes_ = 0;         // that is being read, or comes next
  double stamp_s_ = never_sent;             // to echo (TS.Recent: RFC 7323, 4.3)
  std::map<std::int64_t, Block> blocks_;    // beyond: from, up to
  double beyond_bytes_ = 0;                 // in them
  int at_once_;
  double last_s_ = never, acknowledge_at_s_ = never;
  double window_, most_now_;  // bytes that the sender may have under way, and to which that may grow
  double round_trip_s_ = never, last_echo_s_ = never_sent;
  double measured_since_s_ = 0, measured_bytes_;  // by which the window is widened: read in a round trip
  double measured_from_bytes_ = 0, room_ends_bytes_;
};

}  // namespace ddl::network::packets

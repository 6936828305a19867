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

  std::int64_t next() const { return next_; }            // all segments before it are there
  std::int64_t room_ends() const { return room_ends_; }  // as it told last
  // Segments before `end` that are not there.
  std::int64_t missing_before(std::int64_t end) const;

 private:
  bool add(std::int64_t segment);
  double room() const;
  void observe_round_trip(double now_s, double echo_s);
  void read(double now_s);
  Acknowledgement acknowledge(double now_s);

  const double most_window_;
  std::int64_t next_ = 0, read_ = 0, end_ = 0;   // all before it are there; are read; a message's end
  std::int64_t told_ = 0;                        // next_ of the last acknowledgement (Last.ACK.sent)
  double stamp_s_ = never_sent;                  // to echo (TS.Recent: RFC 7323, 4.3)
  std::map<std::int64_t, std::int64_t> blocks_;  // beyond: from, up to
  std::int64_t beyond_ = 0;                      // segments in them
  int unacknowledged_ = 0, at_once_;
  double last_s_ = never, acknowledge_at_s_ = never;
  double window_, most_now_;  // segments that the sender may have under way, and to which that may grow
  double round_trip_s_ = never, last_echo_s_ = never_sent;
  double measured_since_s_ = 0, measured_segments_;  // by which the window is widened: read in a round trip
  std::int64_t room_ends_;
  std::int64_t measured_from_ = 0;
};

}  // namespace ddl::network::packets

// The receiving end of a TCP connection as Linux has it: it acknowledges every second segment, each of the first ones
// and those that come out of order at once, a lone one after 40 ms (RFC 5681, 4.2), and tells how many segments more it
// has room for. Without a clock.
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

  // A segment has come: what to tell the sender now, if anything. The sender's round trip and timeout, of which a real
  // receiver has estimates of its own.
  std::optional<Acknowledgement> take(double now_s, std::int64_t segment, double round_trip_s, double timeout_s);
  double next_s() const { return acknowledge_at_s_; }
  Acknowledgement wake();  // when that has come

  std::int64_t next() const { return next_; }            // all segments before it are there
  std::int64_t room_ends() const { return room_ends_; }  // as it told last
  // Segments before `end` that are not there.
  std::int64_t missing_before(std::int64_t end) const;

 private:
  bool add(std::int64_t segment);
  void widen(double now_s, double round_trip_s);
  Acknowledgement acknowledge();

  const double most_window_;
  std::int64_t next_ = 0;
  std::map<std::int64_t, std::int64_t> blocks_;  // beyond: from, up to
  std::int64_t beyond_ = 0;                      // segments in them
  int unacknowledged_ = 0, at_once_;
  double last_s_ = never, acknowledge_at_s_ = never;
  double window_, most_now_;  // segments: for which there is room, and to which that may grow
  double measured_since_s_ = 0, measured_segments_;
  std::int64_t measured_from_ = 0, room_ends_;
};

}  // namespace ddl::network::packets

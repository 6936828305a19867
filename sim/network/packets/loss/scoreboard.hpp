// A sender's record of its segments: sent, arrived, or considered lost. Losses are found by time (RACK: RFC 8985, 6.2):
// a segment is lost if one sent later has arrived, and a little time has passed.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>

#include "sim/network/packets/segment.hpp"

namespace ddl::network::packets {

class Scoreboard {
 public:
  // News from an acknowledgement.
  struct Delivered {
    std::int64_t segments = 0;      // newly known to have arrived
    std::int64_t acknowledged = 0;  // shift of the first missing segment
    std::int64_t beyond_gap = 0;    // those of `segments` beyond a gap
    bool any_original = false;      // one below `before` was sent only once
    // Times since the oldest and the newest of these were sent: the oldest acknowledged one, and the newest beyond a
    // gap if there is one. Counts segments sent once, and acknowledged ones only if all were; otherwise since the
    // echoed time stamp. Negative: unknown.
    double oldest_s = -1, newest_s = -1;
    double oldest_beyond_s = -1;
  };
  static constexpr double never = std::numeric_limits<double>::infinity();

  std::int64_t first() const { return first_; }  // the first missing one
  std::int64_t next() const { return next_; }    // the first that has not been sent
  bool all_there() const { return first_ == next_; }
  // On their way, as far as is known.
  std::int64_t under_way() const { return next_ - first_ - beyond_gap_ - lost_ + again_; }
  std::int64_t beyond_gap() const { return beyond_gap_; }  // arrived, though one before has not
  bool any_lost() const { return lost_ > 0; }
  // On their way for the second time: since they were lost, or as a probe.
  std::int64_t sent_again() const { return again_ + (probed_ >= first_ && !at(probed_).beyond_gap ? 1 : 0); }

  double bytes(std::int64_t number) const { return at(number).bytes; }
  double end_bytes(std::int64_t number) const { return at(number).end_bytes; }
  double first_bytes() const {
    return all_there() ? next_bytes_ : segments_.front().end_bytes - segments_.front().bytes;
  }
  double next_bytes() const { return next_bytes_; }  // bytes before the next segment
  double first_sent_s() const { return all_there() ? never : segments_.front().sent_s; }
  Segment on_wire(std::int64_t number, double now_s, double echo_s, bool ends_message) const {
    return {number, at(number).bytes, at(number).end_bytes, ends_message, now_s, echo_s};
  }
  std::int64_t send_next(double now_s, double bytes);
  // The first lost segment that has not been sent again.
  std::optional<std::int64_t> to_send_again();
  void send_again(double now_s, std::int64_t number);
  void probe_with(double now_s, std::int64_t number);  // sends it again, though it does not count as lost

  Delivered take(double now_s, const Acknowledgement& tells, double least_round_trip_s, std::int64_t before);
  struct Found {
    std::int64_t lost = 0, lost_again = 0;  // the second are among the first, and had been sent again
  };
  // Marks segments as lost that are overdue by `allowed_s` when one sent later has arrived; returns the new ones.
  Found find_lost(double now_s, double allowed_s);
  double look_again_s() const { return look_again_s_; }  // time at which find_lost() may find more
  // After a timeout: marks the first segment and all missing ones, except those sent less than a round trip ago.
  void most_are_lost(double now_s);
  void none_is_lost();

 private:
  struct Sent {
    double bytes = 0, end_bytes = 0, sent_s = 0;
    bool beyond_gap = false, lost = false, again = false;  // again: on its way since it was lost
    bool sent_twice = false;
  };
  const Sent& at(std::int64_t number) const { return segments_[static_cast<std::size_t>(number - first_)]; }
  Sent& at(std::int64_t number) { return segments_[static_cast<std::size_t>(number - first_)]; }
  void arrive(double now_s, std::int64_t number, Sent& segment, double echo_s, double least_round_trip_s);
  void count_lost(Sent& segment);

  std::deque<Sent> segments_;  // from first_ to next_
  std::int64_t first_ = 0, next_ = 0;
  double next_bytes_ = 0;
  std::int64_t beyond_gap_ = 0, lost_ = 0, again_ = 0;  // numbers of segments
  std::int64_t lost_from_ = 0;                          // no segment before it needs sending again
  std::int64_t probed_ = -1;                            // the last one sent as a probe
  // Send time of the arrived segment that was sent last; round trip of the one reported last.
  double latest_sent_s_ = -1, latest_round_trip_s_ = 0;
  std::int64_t latest_ = -1;
  double look_again_s_ = never;
};

}  // namespace ddl::network::packets

// The congestion window of one direction of a TCP connection, in segments, like Linux: slow start (RFC 5681) from the
// initial window of RFC 6928 until HyStart ends it (Ha and Rhee, 2011; RFC 9406), CUBIC (RFC 9438), and a window that
// shrinks while unused (RFC 2861). Without a clock: its caller reports each round. packets/window_rules.hpp compares it
// with the packets' window.
#pragma once

#include <limits>

#include "sim/network/packets/tcp_rules.hpp"

namespace ddl::network {

// `sent` segments left at once; the last arrived `spread_s` after the first.
struct TcpRound {
  double sent = 0;
  double used = 0;          // and what was under way before
  double round_trip_s = 0;  // without queues
  double spread_s = 0;
  double queued_s = 0;  // queueing time of the first segment, and of its acknowledgement
  double seconds = 0;   // until the next round
  double share = 1;     // of a round
};

class TcpWindow {
 public:
  // `rules` outlive it: all windows have the same.
  explicit TcpWindow(const packets::TcpRules& rules) : rules_(&rules), segments_(rules.initial_segments) {}
  explicit TcpWindow(packets::TcpRules&&) = delete;

  double segments() const { return segments_; }
  bool in_slow_start() const { return segments_ < slow_start_until_; }
  void rest(double idle_s, double round_trip_s);
  void grow(const TcpRound& round);  // everything was acknowledged
  void lose();                       // something was lost

 private:
  bool slow_start_ends(const TcpRound& round, double& acknowledged);
  void grow_slowly(const TcpRound& round);

  const packets::TcpRules* rules_;
  double segments_ = 0;
  double slow_start_until_ = std::numeric_limits<double>::infinity();
  double least_queued_s_ = std::numeric_limits<double>::infinity();
  bool is_narrow_ = true;      // no round was wider than the receiver's first window
  double most_before_ = 0;     // when something was last lost
  double since_epoch_s_ = -1;  // CUBIC's epoch; negative: there is none
  double origin_ = 0, until_origin_s_ = 0, as_reno_ = 0;
};

}  // namespace ddl::network

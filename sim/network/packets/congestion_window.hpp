// Number of segments that a connection may have under way, updated with each acknowledgement like Linux: slow start
// (RFC 5681) from the initial window of RFC 6928 until HyStart ends it (Ha and Rhee, 2011; RFC 9406), CUBIC (RFC 9438),
// and a window that shrinks while unused (RFC 2861). Without a clock: its caller passes the time. `tcp/window.hpp`
// follows whole rounds; window_rules.hpp compares the two.
#pragma once

#include <cstdint>
#include <limits>

#include "sim/network/packets/tcp_rules.hpp"

namespace ddl::network::packets {

class CongestionWindow {
 public:
  explicit CongestionWindow(const TcpRules& rules) : rules_(rules), segments_(rules.initial_segments) {}

  std::int64_t segments() const { return static_cast<std::int64_t>(segments_); }
  double threshold() const { return threshold_; }
  bool in_slow_start() const { return segments_ < threshold_; }

  // Segments before `first` are acknowledged, those before `next` have been sent; `is_full`: no more fit into it.
  // `may_shrink`: nothing is missing, and the application does not wait for room to write.
  void note_use(double now_s, std::int64_t first, std::int64_t next, bool is_full, bool may_shrink, double timeout_s);
  // True if the window is used: an unused one does not grow. In slow start half of it is enough.
  bool is_used() const;
  void rest(double now_s, double idle_s, double timeout_s);  // nothing was under way for idle_s

  // `seconds`: of the newest acknowledged segment.
  void observe_round_trip(double now_s, double seconds, std::int64_t first, std::int64_t next);
  void grow(double now_s, std::int64_t acknowledged);
  // Segments were lost: the threshold becomes three tenths less than the window.
  void lower_threshold();
  void set(std::int64_t segments) { segments_ = static_cast<double>(segments); }  // while losses are repaired
  void set_to_threshold(double now_s);
  double kept_threshold() const;  // slow start may reach it again: at least three quarters of the window
  // Undoes lower_threshold() and set().
  void restore(double now_s, double segments, double threshold);
  void start_over(double now_s);  // after a timeout: forgets round trips and the last loss

 private:
  void grow_by_cubic(double now_s, double acknowledged);
  void update_step(double now_s, double acknowledged);
  void use(double now_s) {
    most_used_ = 0;
    used_until_s_ = now_s;
  }

  TcpRules rules_;
  double segments_, threshold_ = std::numeric_limits<double>::infinity();
  // Use.
  bool was_full_ = false;
  std::int64_t most_under_way_ = 0, use_ends_ = 0;
  double most_used_ = 0, used_until_s_ = 0;
  // CUBIC. An epoch begins with the first growth after a loss.
  static constexpr double none = -1;
  double epoch_s_ = none, most_before_ = 0, until_origin_s_ = 0, origin_ = 0, as_reno_ = 0;
  double acknowledged_ = 0, towards_next_ = 0;
  double step_ = 0;  // segments to acknowledge for each segment of growth, as of updated_s_ and for that window
  double updated_s_ = none, updated_for_ = 0;
  double least_round_trip_s_ = std::numeric_limits<double>::infinity();
  // HyStart.
  bool slow_start_has_ended_ = false;
  std::int64_t round_ends_ = 0;
  double round_began_s_ = 0, train_until_s_ = 0;
  double least_of_round_s_ = std::numeric_limits<double>::infinity();
  int samples_ = 0;
};

}  // namespace ddl::network::packets

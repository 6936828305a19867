// The congestion window before a reaction to losses. It is restored if nothing was lost: if arrivals were sent before
// any retransmission (detected as in RFC 3522), or all retransmissions are reported as duplicates (RFC 3708).
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/network/packets/congestion_window.hpp"
#include "sim/network/packets/segment.hpp"

namespace ddl::network::packets {

class WindowBefore {
 public:
  // `again`: segments that are under way for the second time.
  void note(const CongestionWindow& window, std::int64_t again) {
    segments_ = static_cast<double>(window.segments());
    threshold_ = window.kept_threshold();
    is_noted_ = true;
    any_sent_again_ = again > 0;
    not_told_ = again;
  }
  void send_again(double now_s) {
    sent_again_s_ = std::min(sent_again_s_, now_s);
    any_sent_again_ = true;
    ++not_told_;
  }
  void forget_sent_again() { sent_again_s_ = never_s; }
  void take_duplicate() { not_told_ = std::max<std::int64_t>(0, not_told_ - 1); }
  bool all_were_duplicates() const { return is_noted_ && any_sent_again_ && not_told_ == 0; }
  // Judged by the echoed time stamp, or by the duplicates.
  bool says_nothing_was_lost(double echo_s) const {
    return is_noted_ && (is_before(echo_s, sent_again_s_) || all_were_duplicates());
  }
  void restore(double now_s, CongestionWindow& window) {
    window.restore(now_s, segments_, threshold_);
    is_noted_ = false;
  }

 private:
  static constexpr double never_s = Line::never;
  bool is_noted_ = false, any_sent_again_ = false;
  double segments_ = 0, threshold_ = 0;
  double sent_again_s_ = never_s;  // time of the first retransmission in this recovery
  std::int64_t not_told_ = 0;      // sent again, and not known to have been there
};

}  // namespace ddl::network::packets

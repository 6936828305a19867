// The congestion window before something was done about losses, to which it returns if there were none: if what arrives
// was sent before anything was sent again (detected as in RFC 3522).
#pragma once

#include <algorithm>
#include <cmath>

#include "sim/network/packets/congestion_window.hpp"
#include "sim/network/packets/segment.hpp"

namespace ddl::network::packets {

class WindowBefore {
 public:
  void note(const CongestionWindow& window) {
    segments_ = static_cast<double>(window.segments());
    threshold_ = std::max(window.threshold(), std::floor(segments_ * 3 / 4));
    sent_again_s_ = none_s;
  }
  void send_again(double now_s) { sent_again_s_ = std::min(sent_again_s_, now_s); }
  // By the time stamp that an acknowledgement echoes.
  bool nothing_was_lost(double echo_s) const { return is_before(echo_s, sent_again_s_); }
  void restore(CongestionWindow& window) {
    window.restore(segments_, threshold_);
    sent_again_s_ = none_s;
  }

 private:
  static constexpr double none_s = Line::never;
  double segments_ = 0, threshold_ = 0;
  double sent_again_s_ = none_s;  // for the first time since it was noted
};

}  // namespace ddl::network::packets

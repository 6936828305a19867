// Number of segments under way while losses are repaired (proportional rate reduction, RFC 6937). While it exceeds the
// new window, each arrival allows new window / old window more. After that each allows one, and one more while no
// further loss is found.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ddl::network::packets {

class RecoveryPace {
 public:
  void begin(std::int64_t window) {
    window_before_ = window;
    arrived_ = sent_ = 0;
  }
  void send() { ++sent_; }
  // `arrived` more segments are known to have arrived; `goes_well`: the first that was missing among them, and no other
  // is known to be lost.
  std::int64_t window(std::int64_t arrived, bool goes_well, std::int64_t under_way, std::int64_t new_window) {
    arrived_ += arrived;
    const std::int64_t room = new_window - under_way;
    std::int64_t may_send = 0;
    if (room < 0) {
      may_send = (new_window * arrived_ + window_before_ - 1) / window_before_ - sent_;
    } else {
      may_send = std::min(room, std::max(arrived_ - sent_, arrived) + (goes_well ? 1 : 0));
    }
    const std::int64_t least = sent_ > 0 ? 0 : 1;
    return under_way + std::max(may_send, least);
  }

 private:
  std::int64_t window_before_ = 0, arrived_ = 0, sent_ = 0;
};

}  // namespace ddl::network::packets

// Detects needless timeouts from acknowledgements after the first segment was sent again: F-RTO with selective
// acknowledgements (RFC 5682, 3), like Linux (tcp_process_loss).
#pragma once

#include <utility>

#include "sim/network/packets/loss/scoreboard.hpp"

namespace ddl::network::packets {

class SpuriousTimeout {
 public:
  // `in_order`: no loss was being repaired at the timeout, or another timeout had come, and nothing since.
  void begin(bool in_order) {
    may_be_ = in_order;
    sends_new_first_ = false;
  }
  // True if it was needless: a segment sent only once, before it, has arrived. `all_sent_before`: only lost segments
  // have been sent since; `may_send`: there are new data to send, and room for them.
  bool is_told_by(const Scoreboard::Delivered& got, bool all_sent_before, bool is_made_good, bool may_send) {
    if (!may_be_) return false;
    if (got.any_original) return true;
    const bool moved = got.acknowledged > 0;
    if (!all_sent_before) {
      may_be_ = moved && got.beyond_gap == 0;
    } else if (moved && !is_made_good) {
      sends_new_first_ = may_be_ = may_send;
    }
    return false;
  }
  // Send new segments before lost ones: their acknowledgements will decide.
  bool takes_new_first() { return std::exchange(sends_new_first_, false); }
  void note_nothing_new() { may_be_ = false; }

 private:
  bool may_be_ = false, sends_new_first_ = false;
};

}  // namespace ddl::network::packets

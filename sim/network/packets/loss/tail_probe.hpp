// The outcome of a tail loss probe (RFC 8985, 7.4), which sends the last segment again, or a new one if there is one.
#pragma once

#include <cstdint>

#include "sim/network/packets/segment.hpp"

namespace ddl::network::packets {

class TailProbe {
 public:
  bool is_out() const { return ends_ != none; }
  // Segments before `next` had been sent when it was.
  void send(std::int64_t next, bool was_sent_before) {
    ends_ = next;
    was_sent_before_ = was_sent_before;
  }
  void forget() { ends_ = none; }
  // True if the probe repaired a loss: its segment had been sent before, later segments arrive, and no duplicate is
  // reported. `tells_more`: the acknowledgement reports new arrivals.
  bool has_made_good(const Acknowledgement& tells, bool tells_more) {
    if (!is_out() || tells.next < ends_) return false;
    const bool made_good = was_sent_before_ && !tells.of_duplicate && tells.next > ends_;
    if (!made_good && was_sent_before_ && !tells.of_duplicate && tells_more) return false;
    forget();
    return made_good;
  }

 private:
  static constexpr std::int64_t none = -1;
  std::int64_t ends_ = none;
  bool was_sent_before_ = false;
};

}  // namespace ddl::network::packets

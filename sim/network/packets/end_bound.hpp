// When a connection's message can end at the earliest, from where two of its segments are: the last, and the first that
// is missing. With it, a caller that waits for ends need not look at every packet.
//
// A segment may be on its way more than once, if it was sent again without being lost. So copies under way are counted,
// never too few; with more than one there is no bound. A segment without a copy has to be sent, and needs the whole
// way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace ddl::network::packets {

class EndBound {
 public:
  // A message begins; `way_s` is the least time that a segment needs to its receiver.
  void begin(std::int64_t last, double way_s) {
    last_ = {.segment = last};
    way_s_ = way_s;
  }
  // `last`: that of the message now, since more may be short than was known.
  void send(std::int64_t segment, std::int64_t last) {
    if (last != last_.segment && last >= sent_) last_ = {.segment = last};
    if (segment < sent_) {
      ++copies_.try_emplace(segment, 1).first->second;
    } else {
      sent_ = segment + 1;
    }
  }
  bool watches(std::int64_t segment, std::int64_t first) const { return segment == last_.segment || segment == first; }
  // The segment is on a line, and cannot reach the receiver before `least_s`; `first` is the first missing one.
  void travel(std::int64_t segment, std::int64_t first, double least_s) {
    if (segment == last_.segment) last_.least_s = copies(segment) == 1 ? least_s : 0;
    if (segment == first) first_ = {segment, copies(segment) == 1 ? least_s : 0};
  }
  void drop(std::int64_t segment) { --copies_.try_emplace(segment, 1).first->second; }
  void arrive(std::int64_t segment, std::int64_t first) {
    if (segment == last_.segment) last_ = {};
    if (copies_.empty()) return;
    if (const auto known = copies_.find(segment); known != copies_.end()) --known->second;
    copies_.erase(copies_.begin(), copies_.lower_bound(first));
  }
  // Links have changed, and with them `way_s`.
  void change(double way_s) {
    way_s_ = way_s;
    last_.least_s = first_.least_s = 0;
  }
  double least_s(double now_s, std::int64_t first) const {
    double least_s = now_s;
    for (const std::int64_t segment : {last_.segment, first}) {
      if (segment != none && copies(segment) == 0) least_s = std::max(least_s, now_s + way_s_);
    }
    if (first_.segment == first) least_s = std::max(least_s, first_.least_s);
    return std::max(least_s, last_.least_s);
  }

 private:
  static constexpr std::int64_t none = -1;
  struct Bound {
    std::int64_t segment = none;
    double least_s = 0;  // it can be there
  };
  int copies(std::int64_t segment) const {
    if (segment >= sent_) return 0;
    const auto known = copies_.find(segment);
    return known == copies_.end() ? 1 : known->second;
  }

  double way_s_ = 0;
  std::int64_t sent_ = 0;               // all before it were sent
  std::map<std::int64_t, int> copies_;  // copies on their way, of segments that were dropped or sent again
  Bound last_, first_;
};

}  // namespace ddl::network::packets

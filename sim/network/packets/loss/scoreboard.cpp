#include "sim/network/packets/loss/scoreboard.hpp"

#include <algorithm>

namespace ddl::network::packets {
namespace {

constexpr double rounding_s = 1e-9;

}  // namespace

std::int64_t Scoreboard::send_next(double now_s, double bytes) {
  next_bytes_ += bytes;
  segments_.push_back({.bytes = bytes, .end_bytes = next_bytes_, .sent_s = now_s});
  return next_++;
}

std::optional<std::int64_t> Scoreboard::to_send_again() {
  for (lost_from_ = std::max(lost_from_, first_); lost_from_ < next_; ++lost_from_) {
    const Sent& segment = at(lost_from_);
    if (segment.lost && !segment.again && !segment.beyond_gap) return lost_from_;
  }
  return std::nullopt;
}

void Scoreboard::send_again(double now_s, std::int64_t number) {
  Sent& segment = at(number);
  if (!segment.again) ++again_;
  segment.again = segment.sent_twice = true;
  segment.sent_s = now_s;
}

void Scoreboard::probe_with(double now_s, std::int64_t number) {
  at(number).sent_twice = true;
  at(number).sent_s = now_s;
  probed_ = number;
}

// If a segment was sent twice, it is not always known which transmission arrived. It was the earlier one if the echoed
// time stamp is older than the last transmission, or if the last would have been the quickest ever.
void Scoreboard::arrive(double now_s, std::int64_t number, Sent& segment, double echo_s, double least_round_trip_s) {
  if (segment.lost) --lost_;
  if (segment.again) --again_;
  segment.lost = segment.again = false;
  const double round_trip_s = now_s - segment.sent_s;
  if (segment.sent_twice && (is_before(echo_s, segment.sent_s) || round_trip_s < least_round_trip_s)) return;
  latest_round_trip_s_ = round_trip_s;
  if (segment.sent_s > latest_sent_s_ || (segment.sent_s == latest_sent_s_ && number > latest_)) {
    latest_sent_s_ = segment.sent_s;
    latest_ = number;
  }
}

Scoreboard::Delivered Scoreboard::take(double now_s, const Acknowledgement& tells, double least_round_trip_s,
                                       std::int64_t before) {
  Delivered got;
  double newest_beyond_s = -1;
  auto blocks = tells.blocks;
  std::sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.from < b.from; });
  for (const Block& block : blocks) {
    for (std::int64_t number = std::max(block.from, first_); number < std::min(block.to, next_); ++number) {
      Sent& segment = at(number);
      if (segment.beyond_gap) continue;
      // Beyond a gap, the echo belongs to an earlier segment.
      arrive(now_s, number, segment, never_sent, least_round_trip_s);
      if (!segment.sent_twice) {
        newest_beyond_s = now_s - segment.sent_s;
        if (got.oldest_beyond_s < 0) got.oldest_beyond_s = newest_beyond_s;
        got.any_original |= number < before;
      }
      segment.beyond_gap = true;
      ++beyond_gap_;
      ++got.beyond_gap;
      ++got.segments;
    }
  }
  bool any_sent_twice = false;
  for (; first_ < tells.next; ++first_, ++got.acknowledged) {
    Sent& segment = segments_.front();
    any_sent_twice |= segment.sent_twice;
    if (segment.beyond_gap) {
      --beyond_gap_;
    } else {
      arrive(now_s, first_, segment, tells.echo_s, least_round_trip_s);
      if (!segment.sent_twice) {
        got.newest_s = now_s - segment.sent_s;
        if (got.oldest_s < 0) got.oldest_s = got.newest_s;
        got.any_original |= first_ < before;
      }
      ++got.segments;
    }
    segments_.pop_front();
  }
  if (any_sent_twice) got.oldest_s = got.newest_s = -1;
  if (newest_beyond_s >= 0) got.newest_s = newest_beyond_s;
  if (got.oldest_s < 0) got.oldest_s = got.oldest_beyond_s;
  if (got.oldest_s < 0 && got.acknowledged > 0 && tells.echo_s != never_sent) {
    got.oldest_s = got.newest_s = now_s - tells.echo_s;
  }
  return got;
}

void Scoreboard::count_lost(Sent& segment) {
  if (segment.again) --again_;
  if (!segment.lost) ++lost_;
  segment.again = false;
  segment.lost = true;
}

Scoreboard::Found Scoreboard::find_lost(double now_s, double allowed_s) {
  Found found;
  double wait_s = 0;
  look_again_s_ = never;
  for (std::int64_t number = first_; number < next_; ++number) {
    Sent& segment = at(number);
    if (segment.beyond_gap || (segment.lost && !segment.again)) continue;
    if (segment.sent_s > latest_sent_s_ || (segment.sent_s == latest_sent_s_ && number >= latest_)) continue;
    const double left_s = segment.sent_s + latest_round_trip_s_ + allowed_s - now_s;
    if (left_s > rounding_s) {
      wait_s = std::max(wait_s, left_s);
      continue;
    }
    ++found.lost;
    if (segment.again) ++found.lost_again;
    count_lost(segment);
    lost_from_ = std::min(lost_from_, number);
  }
  if (wait_s > 0) look_again_s_ = now_s + wait_s;
  return found;
}

void Scoreboard::most_are_lost(double now_s) {
  for (std::int64_t number = first_; number < next_; ++number) {
    Sent& segment = at(number);
    if (segment.beyond_gap) continue;
    if (number > first_ && segment.sent_s + latest_round_trip_s_ > now_s + rounding_s) continue;
    count_lost(segment);
  }
  lost_from_ = first_;
}

void Scoreboard::none_is_lost() {
  for (std::int64_t number = first_; number < next_; ++number) at(number).lost = false;
  lost_ = 0;
}

}  // namespace ddl::network::packets

#include "sim/network/packets/scoreboard.hpp"

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

// False if it was sent twice: which transmission arrived is not always known. The earlier one did if the time stamp
// that is echoed is older than the last one, or if that would have been quicker than any before.
bool Scoreboard::arrive(double now_s, std::int64_t number, Sent& segment, double echo_s, double least_round_trip_s) {
  if (segment.lost) --lost_;
  if (segment.again) --again_;
  segment.lost = segment.again = false;
  const double round_trip_s = now_s - segment.sent_s;
  if (segment.sent_twice && (is_before(echo_s, segment.sent_s) || round_trip_s < least_round_trip_s)) return false;
  if (segment.sent_s > latest_sent_s_ || (segment.sent_s == latest_sent_s_ && number > latest_)) {
    latest_sent_s_ = segment.sent_s;
    latest_round_trip_s_ = round_trip_s;
    latest_ = number;
  }
  return !segment.sent_twice;
}

Scoreboard::Delivered Scoreboard::take(double now_s, const Acknowledgement& tells, double least_round_trip_s) {
  Delivered got;
  for (std::int64_t number = std::max(tells.block_from, first_); number < std::min(tells.block_to, next_); ++number) {
    Sent& segment = at(number);
    if (segment.beyond_gap) continue;
    // Beyond a gap, the echo is of what came before it.
    if (arrive(now_s, number, segment, never_sent, least_round_trip_s)) got.newest_s = now_s - segment.sent_s;
    segment.beyond_gap = true;
    ++beyond_gap_;
    ++got.segments;
  }
  for (; first_ < tells.next; ++first_, ++got.acknowledged) {
    Sent& segment = segments_.front();
    if (segment.beyond_gap) {
      --beyond_gap_;
    } else {
      if (arrive(now_s, first_, segment, tells.echo_s, least_round_trip_s)) {
        got.newest_s = now_s - segment.sent_s;
        if (got.oldest_s < 0) got.oldest_s = got.newest_s;
      }
      ++got.segments;
    }
    segments_.pop_front();
  }
  if (got.newest_s < 0 && got.acknowledged > 0 && tells.echo_s != never_sent) got.newest_s = now_s - tells.echo_s;
  if (got.oldest_s < 0) got.oldest_s = got.newest_s;
  return got;
}

std::int64_t Scoreboard::find_lost(double now_s, double allowed_s) {
  std::int64_t found = 0;
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
    if (segment.again) --again_;
    if (!segment.lost) ++lost_;
    segment.again = false;
    segment.lost = true;
    lost_from_ = std::min(lost_from_, number);
    ++found;
  }
  if (wait_s > 0) look_again_s_ = now_s + wait_s;
  return found;
}

void Scoreboard::all_are_lost() {
  for (std::int64_t number = first_; number < next_; ++number) {
    Sent& segment = at(number);
    if (segment.beyond_gap) continue;
    if (segment.again) --again_;
    if (!segment.lost) ++lost_;
    segment.again = false;
    segment.lost = true;
  }
  lost_from_ = first_;
}

void Scoreboard::none_is_lost() {
  for (std::int64_t number = first_; number < next_; ++number) at(number).lost = false;
  lost_ = 0;
}

}  // namespace ddl::network::packets

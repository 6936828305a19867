#include "sim/network/packets/receiver.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ddl::network::packets {
namespace {

constexpr int acknowledged_at_once = 16;  // of the first segments, and of those after a pause
constexpr int acknowledged_together = 2;
constexpr double delay_s = 0.04;
// The window: 64 kB at first, and two segments more for each that comes, up to 80 kB, which Linux offers of a buffer of
// 128 kB. The buffer grows when more is read in a round trip than in any before; the first is compared with 10
// segments.
constexpr double first_window = 45, first_limit = 55.6, growth_per_segment = 2, first_measured = 10;
constexpr std::int64_t read_together = 12;  // the emulation's reader waits for 16 KiB or a message's end
constexpr double room_of_unread = 0.71;     // by which a segment narrows the window until it is read, as captured

}  // namespace

Receiver::Receiver(double most_window_segments)
    : most_window_(most_window_segments),
      at_once_(acknowledged_at_once),
      window_(std::min(first_window, most_window_)),
      most_now_(std::min(first_limit, most_window_)),
      measured_segments_(first_measured),
      room_ends_(static_cast<std::int64_t>(window_)) {}

// False if it was there already.
bool Receiver::add(std::int64_t segment) {
  if (segment < next_) return false;
  if (segment == next_) {
    ++next_;
    if (const auto block = blocks_.begin(); block != blocks_.end() && block->first == next_) {
      beyond_ -= block->second - block->first;
      next_ = block->second;
      blocks_.erase(block);
    }
    return true;
  }
  std::int64_t from = segment, to = segment + 1;
  auto after = blocks_.upper_bound(segment);
  if (after != blocks_.begin()) {
    const auto before = std::prev(after);
    if (before->second > segment) return false;
    if (before->second == segment) {
      from = before->first;
      blocks_.erase(before);
    }
  }
  if (after != blocks_.end() && after->first == to) {
    to = after->second;
    blocks_.erase(after);
  }
  blocks_[from] = to;
  ++beyond_;
  return true;
}

std::optional<Acknowledgement> Receiver::take(double now_s, const Segment& segment, double timeout_s) {
  const bool had_gap = !blocks_.empty();
  const std::int64_t before = next_;
  if (now_s - last_s_ > timeout_s) at_once_ = acknowledged_at_once;
  last_s_ = now_s;
  if (segment.number == told_ || segment.number + 1 == told_) stamp_s_ = std::max(stamp_s_, segment.sent_s);
  const bool is_new = add(segment.number);
  if (!segment.ends_message && segment.echo_s != never_sent) observe_round_trip(now_s, segment.echo_s);
  const bool grows = is_new && window_ < room();
  if (grows) window_ = std::min(room(), window_ + growth_per_segment);
  if (segment.ends_message) end_ = segment.number + 1;
  const bool ends = read_ < end_ && end_ <= next_;
  if (ends || next_ - read_ >= read_together) read(now_s);
  unacknowledged_ += static_cast<int>(next_ - before);
  const bool out_of_order = is_new && segment.number >= next_;
  const bool may_wait = !ends && is_new && !grows && !out_of_order && !had_gap;
  if (may_wait && unacknowledged_ < acknowledged_together && at_once_ == 0) {
    acknowledge_at_s_ = std::min(acknowledge_at_s_, now_s + delay_s);
    return std::nullopt;
  }
  at_once_ = std::max(0, at_once_ - 1);
  Acknowledgement tells = acknowledge(now_s);
  tells.of_duplicate = !is_new;
  if (out_of_order) {
    const auto block = std::prev(blocks_.upper_bound(segment.number));
    tells.block_from = block->first;
    tells.block_to = block->second;
  }
  return tells;
}

Acknowledgement Receiver::wake(double now_s) { return acknowledge(now_s); }

Acknowledgement Receiver::acknowledge(double now_s) {
  unacknowledged_ = 0;
  acknowledge_at_s_ = never;
  room_ends_ = std::max(room_ends_, next_ + static_cast<std::int64_t>(std::min(window_, room())));
  told_ = next_;
  return {.next = next_, .room_ends = room_ends_, .sent_s = now_s, .echo_s = stamp_s_};
}

// From an acknowledgement to the first segment that was sent after it. A shorter one counts at once, a longer one for
// an eighth.
void Receiver::observe_round_trip(double now_s, double echo_s) {
  if (tick_of(echo_s) == tick_of(last_echo_s_)) return;
  last_echo_s_ = echo_s;
  const double sample_s = now_s - echo_s;
  round_trip_s_ = sample_s < round_trip_s_ ? sample_s : round_trip_s_ + (sample_s - round_trip_s_) / 8;
}

double Receiver::room() const {
  if (most_now_ >= most_window_) return most_window_;
  return most_now_ - room_of_unread * static_cast<double>(next_ - read_);
}

// The application reads all that is there. Linux measures after its first segment: what was read in the last round
// trip, less what is still queued. If that is c, more than the m before, the window may grow to 2 c (1 + 2 (c - m) /
// m), and by what lies beyond a gap.
void Receiver::read(double now_s) {
  const std::int64_t first = read_ + 1, waiting = next_ - first;
  read_ = next_;
  if (now_s - measured_since_s_ < round_trip_s_) return;
  const auto came = static_cast<double>(first - measured_from_ - waiting);
  if (came > measured_segments_) {
    const double twice = 2 * came;
    const auto beyond = static_cast<double>(blocks_.empty() ? 0 : blocks_.rbegin()->second - next_);
    const double limit = twice + 2 * twice * (came - measured_segments_) / measured_segments_ + beyond;
    most_now_ = std::max(most_now_, std::min(limit, most_window_));
    measured_segments_ = came;
  }
  measured_since_s_ = now_s;
  measured_from_ = first;
}

std::int64_t Receiver::missing_before(std::int64_t end) const {
  std::int64_t missing = std::max<std::int64_t>(0, end - next_);
  return std::max<std::int64_t>(0, missing - beyond_);
}

}  // namespace ddl::network::packets

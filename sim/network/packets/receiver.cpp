#include "sim/network/packets/receiver.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ddl::network::packets {
namespace {

constexpr int acknowledged_at_once = 16;  // of the first segments, and of those after a pause
constexpr double delay_s = 0.04;
// The window: 64 kB at first, and two segments more for each that comes, up to 80 kB, which Linux offers of a buffer of
// 128 kB. The buffer grows when more is read in a round trip than in any before; the first is compared with 10
// segments.
constexpr double first_window = 65160, first_limit = 80509, growth_per_segment = 2 * segment_bytes;
constexpr double first_measured = 10 * segment_bytes;
// The emulation's reader takes a message's header as soon as it is there, and then waits for so many bytes or the end.
constexpr double header = 88, read_together = 16384;
constexpr double room_of_unread = 0.71;  // of a byte, by which each narrows the window until it is read, as captured
constexpr double window_unit = 1024;     // in which a window is told, rounded up

}  // namespace

Receiver::Receiver(double most_window_segments)
    : most_window_(most_window_segments * segment_bytes),
      at_once_(acknowledged_at_once),
      window_(std::min(first_window, most_window_)),
      most_now_(std::min(first_limit, most_window_)),
      measured_bytes_(first_measured),
      room_ends_bytes_(window_) {}

// False if it was there already.
bool Receiver::add(const Segment& segment) {
  if (segment.number < next_) return false;
  if (segment.number == next_) {
    ++next_;
    next_bytes_ = segment.end_bytes;
    if (const auto block = blocks_.begin(); block != blocks_.end() && block->first == next_) {
      beyond_bytes_ -= block->second.end_bytes - next_bytes_;
      next_ = block->second.to;
      next_bytes_ = block->second.end_bytes;
      blocks_.erase(block);
    }
    return true;
  }
  std::int64_t from = segment.number;
  Block made{from + 1, segment.end_bytes};
  auto after = blocks_.upper_bound(from);
  if (after != blocks_.begin()) {
    const auto before = std::prev(after);
    if (before->second.to > from) return false;
    if (before->second.to == from) {
      from = before->first;
      blocks_.erase(before);
    }
  }
  if (after != blocks_.end() && after->first == made.to) {
    made = after->second;
    blocks_.erase(after);
  }
  blocks_[from] = made;
  beyond_bytes_ += segment.bytes;
  return true;
}

std::optional<Acknowledgement> Receiver::take(double now_s, const Segment& segment, double timeout_s) {
  const bool had_gap = !blocks_.empty();
  if (now_s - last_s_ > timeout_s) at_once_ = acknowledged_at_once;
  last_s_ = now_s;
  if (segment.number == told_ || segment.number + 1 == told_) stamp_s_ = std::max(stamp_s_, segment.sent_s);
  if (segment.bytes >= segment_bytes && segment.echo_s != never_sent) observe_round_trip(now_s, segment.echo_s);
  const bool is_new = add(segment);
  const bool grows = is_new && window_ < room();
  if (grows) {
    window_ = std::min(room(), window_ + growth_per_segment);
    at_once_ |= 1;  // as tcp_grow_window(): so growth uses up few of those that are acknowledged at once
  }
  if (segment.ends_message) end_bytes_ = segment.end_bytes;
  if (read_bytes_ == message_begins_bytes_ && next_bytes_ > read_bytes_)
    read(now_s, std::min(header, next_bytes_ - read_bytes_));
  const bool ends = read_bytes_ < end_bytes_ && end_bytes_ <= next_bytes_;
  if (ends || next_bytes_ - read_bytes_ >= read_together) read(now_s, next_bytes_ - read_bytes_);
  if (ends) message_begins_bytes_ = end_bytes_;
  const bool out_of_order = is_new && segment.number >= next_;
  const bool may_wait = !ends && is_new && !out_of_order && !had_gap;
  if (may_wait && next_bytes_ - told_bytes_ <= segment_bytes && at_once_ == 0) {
    acknowledge_at_s_ = std::min(acknowledge_at_s_, now_s + delay_s);
    return std::nullopt;
  }
  at_once_ = std::max(0, at_once_ - 1);
  Acknowledgement tells = acknowledge(now_s);
  tells.of_duplicate = !is_new;
  if (out_of_order) {
    const auto block = std::prev(blocks_.upper_bound(segment.number));
    tells.block_from = block->first;
    tells.block_to = block->second.to;
  }
  return tells;
}

Acknowledgement Receiver::wake(double now_s) { return acknowledge(now_s); }

Acknowledgement Receiver::acknowledge(double now_s) {
  acknowledge_at_s_ = never;
  const double window = std::ceil(std::min(window_, room()) / window_unit) * window_unit;
  room_ends_bytes_ = std::max(room_ends_bytes_, next_bytes_ + std::min(window, most_window_));
  told_ = next_;
  told_bytes_ = next_bytes_;
  return {.next = next_, .room_ends_bytes = room_ends_bytes_, .sent_s = now_s, .echo_s = stamp_s_};
}

// From an acknowledgement to the first full segment that was sent after it, in ticks. A longer one than the estimate
// counts for an eighth, and not at all while anything waits to be read (tcp_rcv_rtt_update).
void Receiver::observe_round_trip(double now_s, double echo_s) {
  if (tick_of(echo_s) == tick_of(last_echo_s_)) return;
  last_echo_s_ = echo_s;
  const double sample_s = (tick_of(now_s) - tick_of(echo_s)) * time_stamp_tick_s;
  if (sample_s <= 0) return;
  if (sample_s < round_trip_s_) {
    round_trip_s_ = sample_s;
  } else if (next_bytes_ == read_bytes_) {
    round_trip_s_ += (sample_s - round_trip_s_) / 8;
  }
}

double Receiver::room() const {
  if (most_now_ >= most_window_) return most_window_;
  return most_now_ - room_of_unread * (next_bytes_ - read_bytes_);
}

// The application reads so many bytes. Linux measures after the first segment of them: what was read in the last round
// trip, less what is still queued. If that is c, more than the m before, the window may grow to 2 c (1 + 2 (c - m) /
// m), and by what lies beyond a gap.
void Receiver::read(double now_s, double bytes) {
  const double first = read_bytes_ + std::min(bytes, segment_bytes), waiting = next_bytes_ - first;
  read_bytes_ += bytes;
  if (now_s - measured_since_s_ < round_trip_s_) return;
  const double came = first - measured_from_bytes_ - waiting;
  if (came > measured_bytes_) {
    const double twice = 2 * came;
    const double beyond = blocks_.empty() ? 0 : blocks_.rbegin()->second.end_bytes - next_bytes_;
    const double limit = twice + 2 * twice * (came - measured_bytes_) / measured_bytes_ + beyond;
    most_now_ = std::max(most_now_, std::min(limit, most_window_));
    measured_bytes_ = came;
  }
  measured_since_s_ = now_s;
  measured_from_bytes_ = first;
}

double Receiver::missing_bytes_before(double end_bytes) const {
  return std::max(0.0, end_bytes - next_bytes_ - beyond_bytes_);
}

}  // namespace ddl::network::packets

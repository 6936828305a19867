#include "sim/network/packets/receiver.hpp"

#include <algorithm>
#include <iterator>

namespace ddl::network::packets {
namespace {

constexpr int acknowledged_at_once = 16;  // of the first segments, and of those after a pause
constexpr int acknowledged_together = 2;
constexpr double delay_s = 0.04;
// Linux 6's window, as seen on a connection over which nothing went before: 64 kB, which grows by two segments for each
// that comes, up to 78 kB until a round trip has brought more than the first two do; from then on for twice
// what a round trip brings and, as long as that grows, for more.
constexpr double first_window = 45, first_limit = 54, growth_per_segment = 2, first_measured = 28;

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

std::optional<Acknowledgement> Receiver::take(double now_s, std::int64_t segment, double round_trip_s,
                                              double timeout_s) {
  const bool had_gap = !blocks_.empty();
  const std::int64_t before = next_;
  if (now_s - last_s_ > timeout_s) at_once_ = acknowledged_at_once;
  last_s_ = now_s;
  const bool is_new = add(segment);
  if (is_new) window_ = std::min(most_now_, window_ + growth_per_segment);
  widen(now_s, round_trip_s);
  unacknowledged_ += static_cast<int>(next_ - before);
  const bool out_of_order = is_new && segment >= next_;
  if (!out_of_order && is_new && !had_gap && unacknowledged_ < acknowledged_together && at_once_ == 0) {
    acknowledge_at_s_ = std::min(acknowledge_at_s_, now_s + delay_s);
    return std::nullopt;
  }
  at_once_ = std::max(0, at_once_ - 1);
  Acknowledgement tells = acknowledge();
  tells.of_duplicate = !is_new;
  if (out_of_order) {
    const auto block = std::prev(blocks_.upper_bound(segment));
    tells.block_from = block->first;
    tells.block_to = block->second;
  }
  return tells;
}

Acknowledgement Receiver::wake() { return acknowledge(); }

Acknowledgement Receiver::acknowledge() {
  unacknowledged_ = 0;
  acknowledge_at_s_ = never;
  room_ends_ = std::max(room_ends_, next_ + static_cast<std::int64_t>(window_));
  return {.next = next_, .room_ends = room_ends_};
}

// With c segments in a round trip, after m in one before: 2 c (1 + 2 (c - m) / m).
void Receiver::widen(double now_s, double round_trip_s) {
  if (now_s - measured_since_s_ < round_trip_s) return;
  const auto came = static_cast<double>(next_ - measured_from_);
  if (came > measured_segments_) {
    const double twice = 2 * came;
    const double limit = twice + 2 * twice * (came - measured_segments_) / measured_segments_;
    most_now_ = std::max(most_now_, std::min(limit, most_window_));
    measured_segments_ = came;
  }
  measured_since_s_ = now_s;
  measured_from_ = next_;
}

std::int64_t Receiver::missing_before(std::int64_t end) const {
  std::int64_t missing = std::max<std::int64_t>(0, end - next_);
  return std::max<std::int64_t>(0, missing - beyond_);
}

}  // namespace ddl::network::packets

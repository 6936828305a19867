#include "sim/network/packets/receiver.hpp"

#include <algorithm>
#include <iterator>

namespace ddl::network::packets {
namespace {

constexpr int acknowledged_at_once = 16;  // the first segments, and those after a pause or a duplicate
constexpr double delay_s = 0.04;
// Out of order (tcp_comp_sack_nr, tcp_comp_sack_delay_ns): after three such segments others wait for a twentieth of a
// round trip, a millisecond at most, except every 45th.
constexpr int beyond_at_once = 3, most_untold_beyond = 44;
constexpr double most_wait_beyond_s = 0.001, wait_of_round_trip = 0.05;
// The emulation's reader takes a message's header at once, and then waits for `read_together` bytes or the end.
constexpr double header = 88, read_together = 16384;
constexpr std::int64_t none = -1;

}  // namespace

Receiver::Receiver(double most_window_segments, double handshake_s)
    : handshake_s_(handshake_s), at_once_(acknowledged_at_once), window_(most_window_segments) {
  latest_.fill(none);
}

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
  Beyond made{from + 1, segment.end_bytes};
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
  note_latest(segment.number);
  return true;
}

void Receiver::note_latest(std::int64_t number) {
  const auto block = std::prev(blocks_.upper_bound(number));
  const auto is_free = [&](std::int64_t other) {
    return other < next_ || (other >= block->first && other < block->second.to);
  };
  const auto place = std::find_if(latest_.begin(), latest_.end() - 1, is_free);
  std::move_backward(latest_.begin(), place, place + 1);
  latest_.front() = number;
}

std::optional<Acknowledgement> Receiver::take(double now_s, const Segment& segment, double timeout_s) {
  const bool had_gap = !blocks_.empty();
  if (now_s - last_s_ > timeout_s) at_once_ = acknowledged_at_once;
  last_s_ = now_s;
  if (segment.number == told_ || segment.number + 1 == told_) stamp_s_ = std::max(stamp_s_, segment.sent_s);
  if (segment.bytes >= segment_bytes && segment.echo_s != never_sent) observe_round_trip(now_s, segment.echo_s);
  const bool is_old = segment.number < next_, is_new = add(segment);
  if (is_new && window_.grow(held_bytes())) at_once_ |= 1;  // growth uses up few of the immediate acknowledgements
  if (is_old) at_once_ = std::max(at_once_, acknowledged_at_once);
  if (segment.ends_message) end_bytes_ = segment.end_bytes;
  const bool begins = read_bytes_ == message_begins_bytes_ && next_bytes_ > read_bytes_;
  const bool ends = read_bytes_ < end_bytes_ && end_bytes_ <= next_bytes_;
  const bool reads_all = ends || waiting_bytes() >= read_together;
  // Before it reads (__tcp_ack_snd_check): more than one segment, unless it is about to read and has less room now.
  const bool has_room = window_.offer(held_bytes()) >= window_.told_bytes();
  const bool tells_two = next_bytes_ - told_bytes_ > segment_bytes && (has_room || !(begins || reads_all));
  std::optional<Acknowledgement> tells;
  if (at_once_ > 0 || (had_gap && blocks_.empty()) || tells_two) tells = acknowledge(now_s, !is_new);
  if (begins) read(now_s, std::min(header, waiting_bytes()));
  if (reads_all) read(now_s, waiting_bytes());
  if (ends) message_begins_bytes_ = end_bytes_;
  // After it has read (tcp_cleanup_rbuf).
  const double untold = next_bytes_ - told_bytes_;
  if (((begins || reads_all) && untold > segment_bytes) || (ends && untold > 0) ||
      (reads_all && window_.is_worth_telling(next_bytes_, held_bytes()))) {
    return acknowledge(now_s, false);
  }
  if (tells) return tells;
  if (!is_new || (!blocks_.empty() && !waits_for_more_beyond(now_s))) return acknowledge(now_s, !is_new);
  if (blocks_.empty()) acknowledge_at_s_ = std::min(acknowledge_at_s_, now_s + delay_s);
  return std::nullopt;
}

bool Receiver::waits_for_more_beyond(double now_s) {
  if (untold_beyond_ >= most_untold_beyond) return false;
  if (told_beyond_after_ != next_) {
    told_beyond_after_ = next_;
    told_beyond_ = 0;
  }
  if (told_beyond_ < beyond_at_once) {
    ++told_beyond_;
    return false;
  }
  ++untold_beyond_;
  const double round_trip_s = round_trip_s_ == never ? 0 : std::min(round_trip_s_, handshake_s_);
  tell_blocks_at_s_ =
      std::min(tell_blocks_at_s_, now_s + std::min(most_wait_beyond_s, wait_of_round_trip * round_trip_s));
  return true;
}

Acknowledgement Receiver::wake(double now_s) { return acknowledge(now_s, false); }

Acknowledgement Receiver::acknowledge(double now_s, bool of_duplicate) {
  acknowledge_at_s_ = tell_blocks_at_s_ = never;
  untold_beyond_ = 0;
  at_once_ = std::max(0, at_once_ - 1);
  window_.tell(next_bytes_, held_bytes());
  told_ = next_;
  told_bytes_ = next_bytes_;
  Acknowledgement tells{.next = next_,
                        .of_duplicate = of_duplicate,
                        .room_ends_bytes = window_.end_bytes(),
                        .sent_s = now_s,
                        .echo_s = stamp_s_};
  std::size_t told = 0;
  const std::size_t most = tells.blocks.size() - (of_duplicate ? 1 : 0);  // a duplicate takes a block's place
  for (const std::int64_t number : latest_) {
    if (told == most) break;
    if (number < next_) continue;
    const auto block = std::prev(blocks_.upper_bound(number));
    const Block tell{block->first, block->second.to};
    if (std::find(tells.blocks.begin(), tells.blocks.end(), tell) == tells.blocks.end()) tells.blocks[told++] = tell;
  }
  return tells;
}

// Time from an acknowledgement to the first full segment sent after it, in ticks. A value above the estimate counts for
// an eighth, and not at all while anything waits to be read (tcp_rcv_rtt_update).
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

// The application reads `bytes`. Linux measures after the first segment of them, or after the rest of it behind a
// header.
void Receiver::read(double now_s, double bytes) {
  const double header_read = read_bytes_ == message_begins_bytes_ + header ? header : 0;
  const double first = read_bytes_ + std::min(bytes, segment_bytes - header_read);
  const double beyond = blocks_.empty() ? 0 : blocks_.rbegin()->second.end_bytes - next_bytes_;
  read_bytes_ += bytes;
  window_.note_read(now_s, first, next_bytes_ - first, beyond, round_trip_s_);
}

double Receiver::missing_bytes_before(double end_bytes) const {
  return std::max(0.0, end_bytes - next_bytes_ - beyond_bytes_);
}

}  // namespace ddl::network::packets

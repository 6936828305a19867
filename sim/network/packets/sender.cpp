#include "sim/network/packets/sender.hpp"

#include <algorithm>
#include <cmath>

namespace ddl::network::packets {
namespace {

constexpr double single_delay_s = 0.2;  // RFC 8985, 7.2: the acknowledgement of a lone segment is delayed
constexpr double clock_tick_s = 0.002;  // Linux's least timer, which is added to those of losses
constexpr std::int64_t segments_that_show_no_reordering = 3;
// Bursts (tcp_tso_autosize): what is paced in about a millisecond, two segments at least, and of a quick connection
// 64 KiB, halved for each 512 us of its least round trip.
constexpr double most_burst_bytes = 65536, burst_s = 1.0 / 1024, halving_s = 512e-6;
constexpr double least_burst_segments = 2;
constexpr double pace_in_slow_start = 2, pace_later = 1.2;  // windows per round trip (tcp_update_pacing_rate)
constexpr double soon_s = 0.001, share_of_window = 3;       // tcp_tso_should_defer

}  // namespace

// --- what is sent ---

void Sender::write(double now_s, double bytes) {
  if (board_.all_there()) window_.rest(now_s, now_s - last_sent_s_, trips_.timeout_s());
  buffer_.write(bytes, board_);
}

std::int64_t Sender::message_ends() const { return board_.next() + segments_in(buffer_.left_bytes()); }

void Sender::send(double now_s) {
  if (state_ != State::open) send_lost_again(now_s);
  bool sent = false;
  is_held_back_ = false;
  Burst burst = next_burst(now_s);
  for (; burst.bytes > 0; burst = next_burst(now_s)) {
    is_held_back_ = device_.is_full_for(segments_in(burst.bytes));
    if (is_held_back_) break;
    for (double left = burst.bytes; left > 0; left -= segment_bytes) {
      const bool is_first = board_.all_there();
      send_next(now_s, std::min(left, segment_bytes));
      if (is_first || timeout_at_s_ == never) plan_timeout(now_s);
    }
    sent = true;
  }
  const bool all_sent = state_ == State::open && buffer_.unsent_bytes() == 0;
  const bool is_full = burst.waits_for_window || board_.under_way() >= window_.segments();
  if (sent || is_full) window_.note_use(now_s, board_.first(), board_.next(), is_full, all_sent, trips_.timeout_s());
  if (sent) plan_probe(now_s);
}

// What the windows and the buffer allow, up to half of the congestion window. The receiver's window may cut off a part
// of the last segment, not of the first (tcp_mss_split_point).
Sender::Burst Sender::next_burst(double now_s) const {
  const double unsent = buffer_.unsent_bytes(), room = receivers_end_bytes_ - board_.next_bytes();
  const auto free = static_cast<double>(window_.segments() - board_.under_way());
  if (!(unsent > 0) || free <= 0 || room < std::min(unsent, segment_bytes)) return {};
  const double half = std::max(1.0, std::floor(static_cast<double>(window_.segments()) / 2));
  const double most = most_in_burst();
  if (unsent > segment_bytes && waits_for_more(now_s, std::min(room, free * segment_bytes), most)) {
    return {.waits_for_window = free * segment_bytes < room && free * segment_bytes <= unsent};
  }
  return {.bytes = std::min({unsent, room, std::min({free, half, most}) * segment_bytes})};
}

double Sender::most_in_burst() const {
  const auto window = static_cast<double>(window_.segments());
  const double pace = window < window_.threshold() / 2 ? pace_in_slow_start : pace_later;
  const double paced_bytes =
      pace * std::max(window, static_cast<double>(board_.under_way())) * segment_bytes * burst_s / trips_.smoothed_s();
  const double quick_bytes =
      std::ldexp(most_burst_bytes, -static_cast<int>(std::min(trips_.least_s() / halving_s, 31.0)));
  return std::max(least_burst_segments,
                  std::floor(std::min(paced_bytes + quick_bytes, most_burst_bytes) / segment_bytes));
}

// Rather than less than a burst, where an acknowledgement is expected soon (tcp_tso_should_defer, as since Linux 6.18).
bool Sender::waits_for_more(double now_s, double may_send_bytes, double most_segments) const {
  if (state_ != State::open || board_.all_there() || now_s - last_sent_s_ > soon_s) return false;
  const double window_bytes =
      std::min(receivers_window_bytes_, static_cast<double>(window_.segments()) * segment_bytes);
  if (may_send_bytes >= std::min(most_segments * segment_bytes, window_bytes / share_of_window)) return false;
  const double expected_s = board_.first_sent_s() + trips_.smoothed_s();
  return expected_s - now_s <= std::min(soon_s, trips_.smoothed_s() / 2);
}

void Sender::send_next(double now_s, double bytes) {
  buffer_.take(bytes);
  put_on_wire(now_s, board_.send_next(now_s, bytes), false);
}

bool Sender::leave_device(double now_s) {
  device_.leave();
  if (!is_held_back_) return false;
  const Burst burst = next_burst(now_s);
  if (!(burst.bytes > 0) || device_.is_full_for(segments_in(burst.bytes))) return false;
  send(now_s);
  return true;
}

void Sender::send_lost_again(double now_s) {
  while (board_.under_way() < window_.segments()) {
    const std::optional<std::int64_t> segment = board_.to_send_again();
    if (!segment) return;
    board_.send_again(now_s, *segment);
    put_on_wire(now_s, *segment, true);
    if (timeout_at_s_ == never || *segment == board_.first()) plan_timeout(now_s);
  }
}

void Sender::put_on_wire(double now_s, std::int64_t segment, bool again) {
  ++counts_.sent;
  if (again) {
    ++counts_.sent_again;
    sent_again_s_ = std::min(sent_again_s_, now_s);
  }
  if (state_ == State::recovering) pace_.send();
  last_sent_s_ = now_s;
  const bool has_room = transmit_({.number = segment,
                                   .bytes = board_.bytes(segment),
                                   .end_bytes = board_.end_bytes(segment),
                                   .ends_message = segment + 1 == message_ends(),
                                   .sent_s = now_s,
                                   .echo_s = echo_s_});
  if (has_room) device_.enter();
}

// --- what arrives ---

void Sender::take(double now_s, const Acknowledgement& tells) {
  const bool was_used = window_.is_used();
  receivers_end_bytes_ = std::max(receivers_end_bytes_, tells.room_ends_bytes);
  echo_s_ = tells.sent_s;
  const Scoreboard::Delivered got = board_.take(now_s, tells, trips_.least_s());
  receivers_window_bytes_ = receivers_end_bytes_ - board_.first_bytes();
  const bool moved = got.acknowledged > 0;
  if (got.newest_s > 0) {
    trips_.add(got.oldest_s, got.newest_s, board_.first(), board_.next());
    timeouts_in_a_row_ = 0;
  }
  end_probe(tells, got.segments > 0);
  if (moved && got.newest_s > 0) window_.observe_round_trip(now_s, got.newest_s, board_.first(), board_.next());
  if (state_ == State::restarting && moved && is_before(tells.echo_s, sent_again_s_)) undo_timeout();
  const std::int64_t lost = board_.beyond_gap() > 0 || state_ != State::open ? find_lost(now_s) : 0;
  if (state_ != State::open && moved && board_.first() >= recovery_ends_) {
    if (state_ == State::recovering) window_.set_to_threshold();
    state_ = State::open;
  }
  if (state_ == State::open && board_.any_lost()) begin_recovery();
  if (state_ == State::recovering) {
    if (got.segments > 0 || lost > 0) {
      window_.set(pace_.window(got.segments, moved && lost == 0, board_.under_way(),
                               static_cast<std::int64_t>(window_.threshold())));
    }
  } else if (moved && was_used) {
    window_.grow(now_s, got.segments);
  }
  if (moved) plan_timeout(now_s);
  if (moved || state_ != State::open || board_.beyond_gap() > 0) plan_probe(now_s);
  send(now_s);
  if (buffer_.write_on(window_.segments(), board_)) send(now_s);
}

std::int64_t Sender::find_lost(double now_s) {
  const bool all_in_order = state_ != State::open || board_.beyond_gap() >= segments_that_show_no_reordering;
  const double allowed_s = all_in_order ? 0 : std::min(trips_.least_s() / 4, trips_.smoothed_s());
  const std::int64_t found = board_.find_lost(now_s, allowed_s);
  look_again_at_s_ = board_.look_again_s() + clock_tick_s;
  return found;
}

void Sender::begin_recovery() {
  recovery_ends_ = board_.next();
  probe_ends_ = none;
  note_window();
  pace_.begin(window_.segments());
  window_.lower_threshold();
  state_ = State::recovering;
}

// A probe that sent a segment again has made good a loss if later segments arrive and no duplicate was told of.
void Sender::end_probe(const Acknowledgement& tells, bool tells_more) {
  if (probe_ends_ == none || tells.next < probe_ends_) return;
  const bool lost = probe_was_sent_before_ && !tells.of_duplicate && tells.next > probe_ends_;
  if (!lost && probe_was_sent_before_ && !tells.of_duplicate && tells_more) return;
  probe_ends_ = none;
  if (!lost || state_ != State::open) return;
  begin_recovery();
  window_.set_to_threshold();
  state_ = State::open;
}

// --- silence ---

double Sender::next_s() const { return std::min({timeout_at_s_, probe_at_s_, look_again_at_s_}); }

void Sender::wake(double now_s) {
  if (look_again_at_s_ <= now_s) {
    look_again_at_s_ = never;
    if (board_.all_there() || find_lost(now_s) == 0) return;
    if (state_ == State::open) {
      begin_recovery();
      window_.set(board_.under_way() + 1);
    }
    send(now_s);
  } else if (probe_at_s_ <= now_s) {
    probe_at_s_ = never;
    probe(now_s);
  } else if (timeout_at_s_ <= now_s) {
    timeout_at_s_ = never;
    restart(now_s);
  }
}

// A new segment if there is one, or the last one again, so that its acknowledgement tells what is missing.
void Sender::probe(double now_s) {
  if (board_.all_there()) return;
  ++counts_.probes;
  const double next = std::min(buffer_.unsent_bytes(), segment_bytes);
  probe_was_sent_before_ = next == 0 || receivers_end_bytes_ - board_.next_bytes() < next;
  if (probe_was_sent_before_) {
    board_.send_again(now_s, board_.next() - 1);
    put_on_wire(now_s, board_.next() - 1, true);
  } else {
    send_next(now_s, next);
  }
  probe_ends_ = board_.next();
  plan_timeout(now_s);
}

void Sender::restart(double now_s) {
  if (board_.all_there()) return;
  ++counts_.timeouts;
  if (state_ == State::open) {
    note_window();
    window_.lower_threshold();
  }
  if (state_ != State::restarting) window_.start_over();
  recovery_ends_ = board_.next();
  board_.all_are_lost();
  window_.set(board_.under_way() + 1);
  state_ = State::restarting;
  probe_ends_ = none;
  ++timeouts_in_a_row_;
  send_lost_again(now_s);
  plan_timeout(now_s);
}

void Sender::note_window() {
  window_to_restore_ = static_cast<double>(window_.segments());
  threshold_to_restore_ = std::max(window_.threshold(), std::floor(window_to_restore_ * 3 / 4));
  sent_again_s_ = never;
}

// It was spurious: what has arrived was sent before anything was sent again (detected as in RFC 3522).
void Sender::undo_timeout() {
  ++counts_.spurious_timeouts;
  board_.none_is_lost();
  window_.restore(window_to_restore_, threshold_to_restore_);
  sent_again_s_ = never;
  state_ = State::open;
}

void Sender::plan_timeout(double now_s) {
  timeout_at_s_ = board_.all_there() ? never : now_s + trips_.timeout_s(timeouts_in_a_row_);
}

// None where later segments have arrived: then time tells what is lost.
void Sender::plan_probe(double now_s) {
  probe_at_s_ = never;
  if (board_.all_there() || probe_ends_ != none || state_ != State::open || board_.beyond_gap() > 0) return;
  const double slack_s = board_.next() - board_.first() == 1 ? single_delay_s : clock_tick_s;
  probe_at_s_ = now_s + std::min(2 * trips_.smoothed_s() + slack_s, trips_.timeout_s());
}

}  // namespace ddl::network::packets

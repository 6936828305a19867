#include "sim/network/packets/sender.hpp"

#include <algorithm>
#include <cmath>

namespace ddl::network::packets {
namespace {

constexpr double single_delay_s = 0.2;  // RFC 8985, 7.2: the acknowledgement of a lone segment is delayed
constexpr double clock_tick_s = 0.002;  // Linux's least timer, which is added to those of losses
constexpr std::int64_t segments_that_show_no_reordering = 3;

}  // namespace

// --- what is sent ---

void Sender::write(double now_s, double bytes) {
  if (board_.all_there()) window_.rest(now_s, now_s - last_sent_s_, trips_.timeout_s());
  message_ends_ = board_.end();
  message_ends_ += buffer_.write(bytes, board_);
}

void Sender::send(double now_s) {
  if (state_ != State::open) send_lost_again(now_s);
  bool sent = false;
  is_held_back_ = false;
  for (std::int64_t burst = next_burst(), left_of_burst = 0; burst > 0; burst = next_burst(), --left_of_burst) {
    if (left_of_burst == 0) {
      left_of_burst = burst;
      is_held_back_ = device_.is_full_for(left_of_burst);
      if (is_held_back_) break;
    }
    const bool is_first = board_.all_there();
    put_on_wire(now_s, board_.send_next(now_s), false);
    if (is_first || timeout_at_s_ == never) plan_timeout(now_s);
    sent = true;
  }
  const bool all_sent = state_ == State::open && board_.next() == board_.end();
  const bool is_full = board_.under_way() >= window_.segments();
  if (sent || is_full) window_.note_use(now_s, board_.first(), board_.next(), is_full, all_sent, trips_.timeout_s());
  if (sent) plan_probe(now_s);
}

// What the windows and the buffer allow, up to half of the congestion window.
std::int64_t Sender::next_burst() const {
  return std::min({std::min(board_.end(), receivers_end_) - board_.next(), window_.segments() - board_.under_way(),
                   std::max<std::int64_t>(1, window_.segments() / 2), DeviceQueue::most_in_burst});
}

bool Sender::leave_device(double now_s) {
  device_.leave();
  if (!is_held_back_ || next_burst() <= 0 || device_.is_full_for(next_burst())) return false;
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
  if (transmit_(now_s, segment, board_.bytes(segment))) device_.enter();
}

// --- what arrives ---

void Sender::take(double now_s, const Acknowledgement& tells) {
  const bool was_used = window_.is_used();
  receivers_end_ = std::max(receivers_end_, tells.room_ends);
  echo_s_ = tells.sent_s;
  const Scoreboard::Delivered got = board_.take(now_s, tells, trips_.least_s());
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
  probe_was_sent_before_ = board_.next() >= std::min(board_.end(), receivers_end_);
  if (probe_was_sent_before_) {
    board_.send_again(now_s, board_.next() - 1);
    put_on_wire(now_s, board_.next() - 1, true);
  } else {
    put_on_wire(now_s, board_.send_next(now_s), false);
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

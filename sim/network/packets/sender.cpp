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
  buffer_.write(bytes, board_);
}

std::int64_t Sender::message_ends() const { return board_.next() + segments_in(buffer_.left_bytes()); }

void Sender::send(double now_s) {
  if (state_ != State::open) send_lost_again(now_s);
  bool sent = false;
  is_held_back_ = false;
  Burst next = burst(now_s);
  for (; next.bytes > 0; next = burst(now_s)) {
    is_held_back_ = device_.is_full_for(segments_in(next.bytes));
    if (is_held_back_) break;
    for (double left = next.bytes; left > 0; left -= segment_bytes) {
      const bool is_first = board_.all_there();
      send_next(now_s, std::min(left, segment_bytes));
      if (is_first || timeout_at_s_ == never) plan_timeout(now_s);
    }
    sent = true;
  }
  const bool all_sent = state_ == State::open && buffer_.unsent_bytes() == 0;
  const bool is_full = next.waits_for_window || board_.under_way() >= window_.segments();
  if (sent || is_full) window_.note_use(now_s, board_.first(), board_.next(), is_full, all_sent, trips_.timeout_s());
  if (sent) plan_probe(now_s);
}

Burst Sender::burst(double now_s) const {
  const double room_bytes = receivers_end_bytes_ - board_.next_bytes();
  return next_burst(now_s,
                    {buffer_.unsent_bytes(), room_bytes, receivers_end_bytes_ - board_.first_bytes(),
                     board_.under_way(), state_ == State::open, board_.first_sent_s(), last_sent_s_},
                    window_, trips_);
}

void Sender::send_next(double now_s, double bytes) {
  buffer_.take(bytes);
  put_on_wire(now_s, board_.send_next(now_s, bytes), false);
}

bool Sender::leave_device(double now_s) {
  device_.leave();
  const double bytes = is_held_back_ ? burst(now_s).bytes : 0;
  if (!(bytes > 0) || device_.is_full_for(segments_in(bytes))) return false;
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
  counts_.sent_again += again ? 1 : 0;
  if (again) before_.send_again(now_s);
  if (state_ == State::recovering) pace_.send();
  last_sent_s_ = now_s;
  if (transmit_(board_.on_wire(segment, now_s, echo_s_, segment + 1 == message_ends()))) device_.enter();
}

// --- what arrives ---

void Sender::take(double now_s, const Acknowledgement& tells) {
  const bool was_used = window_.is_used();
  receivers_end_bytes_ = std::max(receivers_end_bytes_, tells.room_ends_bytes);
  echo_s_ = tells.sent_s;
  const Scoreboard::Delivered got = board_.take(now_s, tells, trips_.least_s());
  const bool moved = got.acknowledged > 0;
  if (got.newest_s > 0) {
    trips_.add(got.oldest_s, got.newest_s, board_.first(), board_.next());
    timeouts_in_a_row_ = 0;
  }
  end_probe(tells, got.segments > 0);
  if (moved && got.newest_s > 0) window_.observe_round_trip(now_s, got.newest_s, board_.first(), board_.next());
  if (state_ == State::restarting && moved && before_.nothing_was_lost(tells.echo_s)) undo_timeout();
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
  before_.note(window_);
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
    before_.note(window_);
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

void Sender::undo_timeout() {
  ++counts_.spurious_timeouts;
  board_.none_is_lost();
  before_.restore(window_);
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

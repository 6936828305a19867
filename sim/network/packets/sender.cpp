#include "sim/network/packets/sender.hpp"

#include <algorithm>

namespace ddl::network::packets {
namespace {

constexpr std::int64_t segments_that_show_no_reordering = 3;

}  // namespace

// --- sending ---

void Sender::write(double now_s, double bytes) {
  if (board_.all_there()) window_.rest(now_s, now_s - last_sent_s_, trips_.timeout_s());
  buffer_.write(bytes, board_);
}

std::int64_t Sender::message_ends() const { return board_.next() + segments_in(buffer_.left_bytes()); }

void Sender::send(double now_s) {
  send_lost_again(now_s);
  send_new(now_s);
}

void Sender::send_new(double now_s) {
  while (send_burst(now_s)) {
  }
}

bool Sender::send_burst(double now_s) {
  const Burst next = burst(now_s);
  is_held_back_ = next.bytes > 0 && device_.is_full_for(segments_in(next.bytes));
  const bool sends = next.bytes > 0 && !is_held_back_;
  double left = sends ? next.bytes : 0;
  while (left > 0) {
    const bool is_first = board_.all_there();
    send_next(now_s, std::min(left, segment_bytes));
    if (is_first || timer_.is_for(LossTimer::Event::probe)) plan_timeout(now_s);
    left -= segment_bytes;
  }
  const bool is_full = next.waits_for_window || board_.under_way() >= window_.segments();
  if (sends || is_full) note_use(now_s, is_full);
  if (sends) plan_probe(now_s, false);
  return sends;
}

void Sender::note_use(double now_s, bool is_full) {
  const bool may_shrink = recovery_.is_open() && board_.beyond_gap() == 0 && !buffer_.is_waited_for();
  window_.note_use(now_s, board_.first(), board_.next(), is_full, may_shrink, trips_.timeout_s());
}

Burst Sender::burst(double now_s) const {
  const double room_bytes = receivers_end_bytes_ - board_.next_bytes();
  return next_burst(now_s,
                    {buffer_.unsent_bytes(), room_bytes, receivers_end_bytes_ - board_.first_bytes(),
                     board_.under_way(), recovery_.is_open(), board_.first_sent_s(), last_sent_s_},
                    window_, trips_);
}

void Sender::send_next(double now_s, double bytes) {
  buffer_.take(bytes);
  put_on_wire(now_s, board_.send_next(now_s, bytes), As::first);
}

bool Sender::leave_device(double now_s) {
  device_.leave();
  const double bytes = is_held_back_ ? burst(now_s).bytes : 0;
  if (!(bytes > 0) || device_.is_full_for(segments_in(bytes))) return false;
  send(now_s);
  return true;
}

void Sender::send_lost_again(double now_s) {
  if (recovery_.is_open()) return;
  while (board_.under_way() < window_.segments()) {
    const std::optional<std::int64_t> segment = board_.to_send_again();
    if (!segment) return;
    board_.send_again(now_s, *segment);
    put_on_wire(now_s, *segment, As::lost);
    if (*segment == board_.first() && !timer_.is_for(LossTimer::Event::reordering)) {
      timer_.stop();
      plan_timeout(now_s);
    }
  }
}

void Sender::put_on_wire(double now_s, std::int64_t segment, As as) {
  ++counts_.sent;
  counts_.sent_again += as == As::first ? 0 : 1;
  recovery_.note_sent(now_s, as == As::lost);
  last_sent_s_ = now_s;
  if (transmit_(board_.on_wire(segment, now_s, echo_s_, segment + 1 == message_ends()))) device_.enter();
}

// --- acknowledgements ---

// An acknowledgement, in the order of Linux's tcp_ack:
//
//   1  the receiver's window and the time stamp to echo              RFC 9293, 3.8.6; RFC 7323, 4
//   2  the scoreboard: segments that have arrived, in order or not   RFC 2018
//   3  round trips: their smoothed value, and the window's           RFC 6298; RFC 9406 (HyStart)
//   4  a probe that made up for a loss lowers the window             RFC 8985, 7.4.2
//   5  recovery goes on or ends; a timeout may prove spurious        RFC 6582; RFC 5682
//   6  losses that this shows begin a recovery                       RFC 8985, 6.2
//   7  the timer is set again                                        RFC 6298, 5; RFC 8985, 7.2
//   8  the window grows, or shrinks towards a recovery's             RFC 9438; RFC 6937
//   9  what is lost is sent again, and what the window lets through
void Sender::take(double now_s, const Acknowledgement& tells) {
  receivers_end_bytes_ = std::max(receivers_end_bytes_, tells.room_ends_bytes);  // 1
  echo_s_ = tells.sent_s;
  const double first_sent_s = board_.first_sent_s();
  const Scoreboard::Delivered got = board_.take(now_s, tells, trips_.least_s(), recovery_.ends());  // 2
  const bool moved = got.acknowledged > 0;
  if (got.newest_s > 0) {  // 3
    trips_.add(got.oldest_s, got.newest_s, board_.first(), board_.next());
    timer_.note_round_trip();
    window_.observe_round_trip(now_s, got.newest_s, board_.first(), board_.next());
  }
  if (probe_.has_made_good(tells, got.segments > 0)) recovery_.lower_window_once(now_s, window_, board_);  // 4
  const bool may_send = buffer_.unsent_bytes() > 0 && receivers_end_bytes_ > board_.next_bytes();
  if (recovery_.take(now_s, tells, got, may_send, window_, board_)) ++counts_.spurious_timeouts;  // 5
  const bool may_be_lost = board_.beyond_gap() > 0 || !recovery_.is_open();                       // 6
  const Scoreboard::Found found = may_be_lost ? find_lost(now_s) : Scoreboard::Found{};
  recovery_.begin_if_lost(found, window_, board_);
  if (!recovery_.is_open()) probe_.forget();
  // 7. News of segments that were sent before the first was sent again must not put its timeout off: that could go on.
  const bool goes_on = moved || got.oldest_beyond_s > now_s - first_sent_s;
  const bool time_will_tell = may_be_lost && board_.look_again_s() < never;
  if (goes_on && !time_will_tell && !plan_probe(now_s, true)) plan_timeout(now_s);
  recovery_.grow_window(now_s, got, found, window_, board_);  // 8
  const bool new_first = recovery_.takes_new_first();         // 9
  if (new_first) send_new(now_s);
  if (!new_first || board_.next() == recovery_.ends()) {
    if (new_first) recovery_.note_nothing_new();
    send(now_s);
  }
  if (buffer_.write_on(window_.segments(), board_)) send(now_s);
}

// Sets the timer if more losses can be found later.
Scoreboard::Found Sender::find_lost(double now_s) {
  const bool all_in_order = !recovery_.is_open() || board_.beyond_gap() >= segments_that_show_no_reordering;
  const double allowed_s = all_in_order ? 0 : std::min(trips_.least_s() / 4, trips_.smoothed_s());
  const Scoreboard::Found found = board_.find_lost(now_s, allowed_s);
  if (board_.look_again_s() < never) timer_.plan_reordering(board_.look_again_s());
  return found;
}

// --- silence ---

void Sender::wake(double now_s) {
  if (board_.all_there()) return timer_.stop();
  switch (timer_.event()) {
    case LossTimer::Event::none:
      return;
    case LossTimer::Event::reordering:
      return send_what_time_tells(now_s);
    case LossTimer::Event::probe:
      return probe_.is_out() ? plan_timeout(now_s) : probe(now_s);
    case LossTimer::Event::timeout:
      return restart(now_s);
  }
}

void Sender::send_what_time_tells(double now_s) {
  if (find_lost(now_s).lost > 0) {
    recovery_.begin_late(window_, board_);
    probe_.forget();
    send_lost_again(now_s);
  }
  if (!timer_.is_for(LossTimer::Event::timeout)) plan_timeout(now_s);
}

// Sends a new segment if there is one, or the last one again: the acknowledgement shows which segments are missing.
void Sender::probe(double now_s) {
  ++counts_.probes;
  const double next = std::min(buffer_.unsent_bytes(), segment_bytes);
  const bool was_sent_before = next == 0 || receivers_end_bytes_ - board_.next_bytes() < next;
  if (was_sent_before) {
    board_.probe_with(now_s, board_.next() - 1);
    put_on_wire(now_s, board_.next() - 1, As::probe);
  } else {
    send_next(now_s, next);
    note_use(now_s, board_.under_way() >= window_.segments());
  }
  probe_.send(board_.next(), was_sent_before);
  timer_.stop();
  plan_timeout(now_s);
}

void Sender::restart(double now_s) {
  ++counts_.timeouts;
  recovery_.restart(now_s, window_, board_);
  probe_.forget();
  timer_.note_timeout();
  send_lost_again(now_s);
  plan_timeout(now_s);
}

// False without a probe: if later segments have arrived, time shows which ones are lost.
bool Sender::plan_probe(double now_s, bool acknowledged) {
  if (board_.all_there() || !recovery_.is_open() || board_.beyond_gap() > 0) return false;
  timer_.plan_probe(now_s, board_, trips_, acknowledged);
  return true;
}

}  // namespace ddl::network::packets

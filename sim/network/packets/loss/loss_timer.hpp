// A sender's only timer, set for the next one of: a tail probe (RFC 8985, 7), losses found by time (RFC 8985, 6.2), and
// silence (RFC 6298). As in Linux, time spent waiting for one of the others counts for silence.
#pragma once

#include <algorithm>

#include "sim/network/packets/loss/scoreboard.hpp"
#include "sim/network/packets/round_trips.hpp"

namespace ddl::network::packets {

class LossTimer {
 public:
  static constexpr double never = Scoreboard::never;
  enum class Event { none, probe, reordering, timeout };

  double at_s() const { return at_s_; }
  Event event() const { return event_; }
  bool is_for(Event event) const { return event_ == event; }
  void stop() { set(Event::none, never); }
  void note_round_trip() { timeouts_in_a_row_ = 0; }
  void note_timeout() {
    ++timeouts_in_a_row_;
    stop();
  }

  // Counts from now, or from the sending of the first segment if the timer was set for another event. Stops if nothing
  // is under way.
  void plan_timeout(double now_s, const Scoreboard& board, const RoundTrips& trips) {
    if (board.all_there()) return stop();
    const bool goes_on = is_for(Event::probe) || is_for(Event::reordering);
    const double since_s = goes_on ? board.first_sent_s() : now_s;
    set(Event::timeout, std::max(now_s + least_wait_s, since_s + trips.timeout_s(timeouts_in_a_row_)));
  }
  // Two round trips from now on, and not later than silence would be noticed. `acknowledged`: something has just been.
  void plan_probe(double now_s, const Scoreboard& board, const RoundTrips& trips, bool acknowledged) {
    const double slack_s = board.next() - board.first() == 1 ? single_delay_s : tick_s;
    const double probe_s = 2 * trips.smoothed_s() + slack_s;
    const double since_s = acknowledged ? now_s : board.first_sent_s();
    const double silence_s = since_s + trips.timeout_s(timeouts_in_a_row_) - now_s;
    set(Event::probe, now_s + (silence_s > 0 ? std::min(probe_s, silence_s) : probe_s));
  }
  void plan_reordering(double at_s) { set(Event::reordering, at_s + tick_s); }

 private:
  static constexpr double single_delay_s = 0.2;  // the acknowledgement of a lone segment is delayed
  static constexpr double tick_s = 0.002;        // Linux's least timer, added to those of losses
  static constexpr double least_wait_s = 1e-6;
  void set(Event event, double at_s) {
    event_ = event;
    at_s_ = at_s;
  }

  Event event_ = Event::none;
  double at_s_ = never;
  int timeouts_in_a_row_ = 0;  // since a round trip was measured
};

}  // namespace ddl::network::packets

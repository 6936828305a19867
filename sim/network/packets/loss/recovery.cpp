#include "sim/network/packets/loss/recovery.hpp"

namespace ddl::network::packets {

void Recovery::lower(CongestionWindow& window, const Scoreboard& board) {
  ends_ = board.next();
  pace_.begin(window.segments());
  window.lower_threshold();
}

void Recovery::begin(CongestionWindow& window, const Scoreboard& board) {
  before_.note(window, board.sent_again());
  lower(window, board);
  state_ = State::recovering;
}

// After a timeout only if a retransmission is lost, too.
void Recovery::begin_if_lost(const Scoreboard::Found& found, CongestionWindow& window, const Scoreboard& board) {
  if (is_after_timeout() ? found.lost_again > 0 : is_open() && board.any_lost()) begin(window, board);
}

void Recovery::begin_late(CongestionWindow& window, const Scoreboard& board) {
  if (state_ == State::recovering) return;
  begin(window, board);
  set_to_pace(1, false, window, board);
}

void Recovery::open() {
  state_ = State::open;
  before_.forget_sent_again();
}

void Recovery::lower_window_once(double now_s, CongestionWindow& window, const Scoreboard& board) {
  if (!is_open()) return;
  lower(window, board);
  window.set_to_threshold(now_s);
}

void Recovery::restart(double now_s, CongestionWindow& window, Scoreboard& board) {
  spurious_.begin(is_open() || timed_out_);
  board.most_are_lost(now_s);
  if (is_open() || (is_after_timeout() && !timed_out_)) {
    before_.note(window, board.sent_again());
    window.lower_threshold();
  }
  window.start_over(now_s);
  window.set(board.under_way() + 1);
  ends_ = board.next();
  state_ = State::restarting;
  timed_out_ = true;
}

void Recovery::note_sent(double now_s, bool was_lost) {
  if (state_ == State::recovering) pace_.send();
  if (was_lost) before_.send_again(now_s);
}

bool Recovery::take(double now_s, const Acknowledgement& tells, const Scoreboard::Delivered& got, bool may_send,
                    CongestionWindow& window, Scoreboard& board) {
  const bool moved = got.acknowledged > 0, is_made_good = board.first() >= ends_;
  if (moved) timed_out_ = false;
  if (tells.of_duplicate) before_.take_duplicate();
  if (is_after_timeout()) {
    const bool all_sent_before = board.next() == ends_;
    const bool was_spurious = (moved && before_.says_nothing_was_lost(tells.echo_s)) ||
                              spurious_.is_told_by(got, all_sent_before, is_made_good, may_send);
    if (was_spurious) {
      board.none_is_lost();
      before_.restore(now_s, window);
    }
    if (was_spurious || is_made_good) open();
    return was_spurious;
  }
  if (before_.all_were_duplicates()) {
    before_.restore(now_s, window);
    open();
  } else if (state_ == State::recovering && is_made_good) {
    window.set_to_threshold(now_s);
    open();
  }
  return false;
}

void Recovery::grow_window(double now_s, const Scoreboard::Delivered& got, const Scoreboard::Found& found,
                           CongestionWindow& window, const Scoreboard& board) {
  const bool moved = got.acknowledged > 0;
  if (state_ == State::recovering) {
    if (got.segments > 0) set_to_pace(got.segments, moved && found.lost == 0, window, board);
  } else if (moved) {
    window.grow(now_s, got.segments);
  }
}

void Recovery::set_to_pace(std::int64_t arrived, bool goes_well, CongestionWindow& window, const Scoreboard& board) {
  window.set(pace_.window(arrived, goes_well, board.under_way(), static_cast<std::int64_t>(window.threshold())));
}

}  // namespace ddl::network::packets

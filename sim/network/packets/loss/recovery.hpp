// A sender's reaction to losses, its end, and its undoing if needless: recovery while later segments arrive, paced by
// arrivals (recovery_pace.hpp), and slow start after a timeout. It lowers the congestion window and restores it
// (window_before.hpp, spurious_timeout.hpp); its caller chooses the segments to send.
#pragma once

#include <cstdint>

#include "sim/network/packets/congestion_window.hpp"
#include "sim/network/packets/loss/recovery_pace.hpp"
#include "sim/network/packets/loss/scoreboard.hpp"
#include "sim/network/packets/loss/spurious_timeout.hpp"
#include "sim/network/packets/loss/window_before.hpp"

namespace ddl::network::packets {

class Recovery {
 public:
  bool is_open() const { return state_ == State::open; }  // no loss is being repaired
  bool is_after_timeout() const { return state_ == State::restarting; }
  // Segments before it had been sent when something was last lost.
  std::int64_t ends() const { return ends_; }

  // Begins if later segments show that some are lost (`found`).
  void begin_if_lost(const Scoreboard::Found& found, CongestionWindow& window, const Scoreboard& board);
  // Begins by the timer: later segments had arrived, and enough time has passed.
  void begin_late(CongestionWindow& window, const Scoreboard& board);
  void restart(double now_s, CongestionWindow& window, Scoreboard& board);  // a timeout
  // Called when a probe has repaired a loss.
  void lower_window_once(double now_s, CongestionWindow& window, const Scoreboard& board);

  void note_sent(double now_s, bool was_lost);
  // Ends the recovery if it is complete, or undoes it. True if a timeout was needless. `may_send`: new data.
  bool take(double now_s, const Acknowledgement& tells, const Scoreboard::Delivered& got, bool may_send,
            CongestionWindow& window, Scoreboard& board);
  // True while new segments go before lost ones, to find out whether a timeout was needless.
  bool takes_new_first() { return spurious_.takes_new_first(); }
  void note_nothing_new() { spurious_.note_nothing_new(); }
  void grow_window(double now_s, const Scoreboard::Delivered& got, const Scoreboard::Found& found,
                   CongestionWindow& window, const Scoreboard& board);

 private:
  enum class State { open, recovering, restarting };
  void lower(CongestionWindow& window, const Scoreboard& board);
  void begin(CongestionWindow& window, const Scoreboard& board);
  void open();
  void set_to_pace(std::int64_t arrived, bool goes_well, CongestionWindow& window, const Scoreboard& board);

  State state_ = State::open;
  std::int64_t ends_ = 0;
  RecoveryPace pace_;
  WindowBefore before_;
  SpuriousTimeout spurious_;
  bool timed_out_ = false;  // since the first missing segment moved
};

}  // namespace ddl::network::packets

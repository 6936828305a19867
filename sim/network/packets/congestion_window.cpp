#include "sim/network/packets/congestion_window.hpp"

#include <algorithm>
#include <cmath>

#include "sim/network/packets/window_rules.hpp"

namespace ddl::network::packets {
namespace {

constexpr double kept_of_lost_window = 717.0 / 1024,
                 cubic_growth = 410.0 / 1024;  // RFC 9438, 4.1, as Linux rounds them
constexpr double reno_step = 15.0 / 8;         // windows acknowledged per segment of growth of an equally gentle Reno
constexpr double most_first_growth = 20;       // segments acknowledged for each more, until something is lost
constexpr double least_growth = 2;             // for each more, at any time
constexpr double hystart_cushion_s = 0.001;    // for bursts; less only beyond 2 Gbit/s (hystart_ack_delay)
constexpr double quiet_after_loss_s = 1;

// Linux counts CUBIC's time in ticks of its clock, 250 a second as distributions configure it.
constexpr double ticks_per_s = 250, ticks_of_a_step = 7;
double ticks(double seconds) { return std::floor(seconds * ticks_per_s); }

// Rounds like Linux.
double three_quarters(double segments) { return std::floor(segments / 2) + std::floor(segments / 4); }

}  // namespace

bool CongestionWindow::is_used() const {
  return was_full_ || (in_slow_start() && segments_ < 2 * static_cast<double>(most_under_way_));
}

void CongestionWindow::note_use(double now_s, std::int64_t first, std::int64_t next, bool is_full, bool may_shrink,
                                double timeout_s) {
  const std::int64_t under_way = next - first;
  if (use_ends_ <= first || is_full || (!was_full_ && under_way > most_under_way_)) {
    was_full_ = is_full;
    most_under_way_ = under_way;
    use_ends_ = next;
  }
  if (is_used()) return use(now_s);
  most_used_ = std::max(most_used_, static_cast<double>(under_way));
  if (!rules_.slow_start_after_idle || now_s - used_until_s_ < timeout_s) return;
  if (may_shrink) {
    const double used = std::max(most_used_, rules_.initial_segments);
    if (used < segments_) {
      threshold_ = kept_threshold();
      segments_ = std::floor((segments_ + used) / 2);
    }
    most_used_ = 0;
  }
  used_until_s_ = now_s;
}

// Three quarters of the old window may soon be reached again: slow start ends there.
void CongestionWindow::rest(double now_s, double idle_s, double timeout_s) {
  if (epoch_s_ != none && idle_s > 0) epoch_s_ = std::min(now_s, epoch_s_ + idle_s);
  if (!rules_.slow_start_after_idle || idle_s <= timeout_s) return;
  threshold_ = kept_threshold();
  segments_ = decayed(segments_, idle_s, timeout_s, rules_);
  use(now_s);
}

// HyStart: slow start ends when acknowledgements come in one train for half a round trip, or later than before. Round
// trips are ignored for a second after a loss (cubictcp_acked).
void CongestionWindow::observe_round_trip(double now_s, double seconds, std::int64_t first, std::int64_t next) {
  if (epoch_s_ != none && now_s - epoch_s_ < quiet_after_loss_s) return;
  least_round_trip_s_ = std::min(least_round_trip_s_, seconds);
  if (slow_start_has_ended_ || !in_slow_start()) return;
  if (first > round_ends_) {
    round_ends_ = next;
    round_began_s_ = train_until_s_ = now_s;
    least_of_round_s_ = std::numeric_limits<double>::infinity();
    samples_ = 0;
  }
  if (segments_ < hystart_least_segments) return;
  bool ends = false;
  if (now_s - train_until_s_ <= hystart_train_gap_s) {
    train_until_s_ = now_s;
    ends = now_s - round_began_s_ > (least_round_trip_s_ + hystart_cushion_s) / 2;
  }
  least_of_round_s_ = std::min(least_of_round_s_, seconds);
  if (samples_ < hystart_samples) {
    ++samples_;
  } else {
    ends = ends || least_of_round_s_ > least_round_trip_s_ + hystart_delay_s(least_round_trip_s_);
  }
  if (!ends) return;
  slow_start_has_ended_ = true;
  threshold_ = segments_;
}

void CongestionWindow::grow(double now_s, std::int64_t acknowledged) {
  used_until_s_ = now_s;  // also if it does not grow (tcp_cong_avoid)
  if (!is_used()) return;
  double left = static_cast<double>(acknowledged);
  if (in_slow_start()) {
    const double grown = std::min(segments_ + left, threshold_);
    left -= grown - segments_;
    segments_ = grown;
  }
  if (left > 0) grow_by_cubic(now_s, left);
  segments_ = std::min(segments_, rules_.most_segments);
}

void CongestionWindow::grow_by_cubic(double now_s, double acknowledged) {
  update_step(now_s, acknowledged);
  if (towards_next_ >= step_) {
    towards_next_ = 0;
    ++segments_;
  }
  towards_next_ += acknowledged;
  if (towards_next_ >= step_) {
    const double grown = std::floor(towards_next_ / step_);
    towards_next_ -= grown * step_;
    segments_ += grown;
  }
}

// Counts whole segments and ticks; a window that has not grown gets a new step every 32 ms, another one every tick
// (bictcp_update).
void CongestionWindow::update_step(double now_s, double acknowledged) {
  acknowledged_ += acknowledged;
  const double since = updated_s_ == none ? ticks_per_s : ticks(now_s) - ticks(updated_s_);
  if (updated_for_ == segments_ && since <= ticks_of_a_step) return;
  if (epoch_s_ == none || since > 0) {
    updated_for_ = segments_;
    updated_s_ = now_s;
    if (epoch_s_ == none) {
      epoch_s_ = now_s;
      acknowledged_ = acknowledged;
      as_reno_ = segments_;
      origin_ = std::max(most_before_, segments_);
      until_origin_s_ = cubic_root((origin_ - segments_) / cubic_growth);
    }
    const double ahead = std::isinf(least_round_trip_s_) ? 0 : std::ceil(least_round_trip_s_ * ticks_per_s);
    const double since_epoch_s = (ticks(now_s) - ticks(epoch_s_) + ahead) / ticks_per_s;
    const double from_origin = std::floor(cubic_growth * cubed(std::abs(since_epoch_s - until_origin_s_)));
    const double target = origin_ + (since_epoch_s < until_origin_s_ ? -from_origin : from_origin);
    step_ = target > segments_ ? std::floor(segments_ / (target - segments_)) : 100 * segments_;
    if (most_before_ == 0) step_ = std::min(step_, most_first_growth);
  }
  const double step_of_reno = std::floor(segments_ * reno_step);
  while (acknowledged_ > step_of_reno) {
    acknowledged_ -= step_of_reno;
    ++as_reno_;
  }
  if (as_reno_ > segments_) step_ = std::min(step_, std::floor(segments_ / (as_reno_ - segments_)));
  step_ = std::max(step_, least_growth);
}

void CongestionWindow::lower_threshold() {
  epoch_s_ = none;
  towards_next_ = 0;
  most_before_ = segments_ < most_before_ ? std::floor(segments_ * (1 + kept_of_lost_window) / 2) : segments_;
  threshold_ = std::max(2.0, std::floor(kept_of_lost_window * segments_));
}

void CongestionWindow::set_to_threshold(double now_s) {
  segments_ = threshold_;
  use(now_s);
}

double CongestionWindow::kept_threshold() const { return std::max(threshold_, three_quarters(segments_)); }

void CongestionWindow::restore(double now_s, double segments, double threshold) {
  segments_ = std::max(segments_, segments);
  threshold_ = std::max(threshold_, threshold);
  use(now_s);
}

void CongestionWindow::start_over(double now_s) {
  most_before_ = 0;
  epoch_s_ = updated_s_ = none;
  step_ = updated_for_ = towards_next_ = 0;
  samples_ = 0;
  least_of_round_s_ = std::numeric_limits<double>::infinity();
  slow_start_has_ended_ = false;
  least_round_trip_s_ = std::numeric_limits<double>::infinity();
  used_until_s_ = now_s;
}

}  // namespace ddl::network::packets

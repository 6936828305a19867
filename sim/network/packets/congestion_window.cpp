#include "sim/network/packets/congestion_window.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/portable_math.hpp"

namespace ddl::network::packets {
namespace {

constexpr double kept_of_lost_window = 717.0 / 1024, cubic_growth = 0.4;  // RFC 9438, 4.1, as Linux rounds them
constexpr double reno_step = 15.0 / 8;    // windows acknowledged for each segment by which Reno, as gentle, would grow
constexpr double most_first_growth = 20;  // segments acknowledged for each more, until something is lost
constexpr double least_growth = 2;        // for each more, at any time
constexpr double hystart_least_segments = 16, hystart_train_gap_s = 0.002;
constexpr int hystart_samples = 8;
constexpr double hystart_least_s = 0.004, hystart_most_s = 0.016;  // RFC 9406, 4.2

double cubed(double x) { return x * x * x; }
// Not the C library's, whose last digit depends on its version.
double cubic_root(double x) { return x > 0 ? portable_exp(portable_log(x) / 3) : 0; }

}  // namespace

bool CongestionWindow::is_used() const {
  return was_full_ || (in_slow_start() && segments_ < 2 * static_cast<double>(most_under_way_));
}

void CongestionWindow::note_use(double now_s, std::int64_t first, std::int64_t next, bool is_full, bool all_sent,
                                double timeout_s) {
  const std::int64_t under_way = next - first;
  if (use_ends_ <= first || is_full || (!was_full_ && under_way > most_under_way_)) {
    was_full_ = is_full;
    most_under_way_ = under_way;
    use_ends_ = next;
  }
  if (is_used()) {
    most_used_ = 0;
    used_until_s_ = now_s;
    return;
  }
  most_used_ = std::max(most_used_, static_cast<double>(under_way));
  if (!rules_.slow_start_after_idle || now_s - used_until_s_ < timeout_s) return;
  if (all_sent) {
    const double used = std::max(most_used_, rules_.initial_segments);
    if (used < segments_) {
      threshold_ = std::max(threshold_, std::floor(segments_ * 3 / 4));
      segments_ = std::floor((segments_ + used) / 2);
    }
    most_used_ = 0;
  }
  used_until_s_ = now_s;
}

// Where it was, it may soon be again: slow start ends at three quarters of it.
void CongestionWindow::rest(double now_s, double idle_s, double timeout_s) {
  if (epoch_s_ != none && idle_s > 0) epoch_s_ = std::min(now_s, epoch_s_ + idle_s);
  if (!rules_.slow_start_after_idle || idle_s <= timeout_s) return;
  threshold_ = std::max(threshold_, std::floor(segments_ * 3 / 4));
  const double least = std::min(rules_.initial_segments, segments_);
  for (double left_s = idle_s - timeout_s; left_s > 0 && segments_ > least; left_s -= timeout_s) {
    segments_ = std::floor(segments_ / 2);
  }
  segments_ = std::max(segments_, least);
  used_until_s_ = now_s;
  most_used_ = 0;
}

// HyStart: slow start ends when acknowledgements come in one train for half a round trip, or later than they used to.
void CongestionWindow::observe_round_trip(double now_s, double seconds, std::int64_t first, std::int64_t next) {
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
    ends = now_s - round_began_s_ > least_round_trip_s_ / 2;
  }
  least_of_round_s_ = std::min(least_of_round_s_, seconds);
  if (samples_ < hystart_samples) {
    ++samples_;
  } else {
    const double later_s = std::clamp(least_round_trip_s_ / 8, hystart_least_s, hystart_most_s);
    ends = ends || least_of_round_s_ > least_round_trip_s_ + later_s;
  }
  if (!ends) return;
  slow_start_has_ended_ = true;
  threshold_ = segments_;
}

void CongestionWindow::grow(double now_s, std::int64_t acknowledged) {
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
  acknowledged_ += acknowledged;
  if (epoch_s_ == none) {
    epoch_s_ = now_s;
    acknowledged_ = acknowledged;
    as_reno_ = segments_;
    origin_ = std::max(most_before_, segments_);
    until_origin_s_ = cubic_root((origin_ - segments_) / cubic_growth);
  }
  const double ahead_s = std::isinf(least_round_trip_s_) ? 0 : least_round_trip_s_;  // not known yet
  const double target = origin_ + cubic_growth * cubed(now_s - epoch_s_ + ahead_s - until_origin_s_);
  // Segments to be acknowledged for each by which it grows.
  double step = target > segments_ ? segments_ / (target - segments_) : 100 * segments_;
  if (most_before_ == 0) step = std::min(step, most_first_growth);
  const double step_of_reno = segments_ * reno_step;
  while (acknowledged_ > step_of_reno) {
    acknowledged_ -= step_of_reno;
    ++as_reno_;
  }
  if (as_reno_ > segments_) step = std::min(step, segments_ / (as_reno_ - segments_));
  step = std::max(step, least_growth);
  if (towards_next_ >= step) {
    towards_next_ = 0;
    ++segments_;
  }
  towards_next_ += acknowledged;
  if (towards_next_ >= step) {
    const double grown = std::floor(towards_next_ / step);
    towards_next_ -= grown * step;
    segments_ += grown;
  }
}

void CongestionWindow::lower_threshold() {
  epoch_s_ = none;
  towards_next_ = 0;
  most_before_ = segments_ < most_before_ ? std::floor(segments_ * (1 + kept_of_lost_window) / 2) : segments_;
  threshold_ = std::max(2.0, std::floor(kept_of_lost_window * segments_));
}

void CongestionWindow::restore(double segments, double threshold) {
  segments_ = std::max(segments_, segments);
  threshold_ = std::max(threshold_, threshold);
}

void CongestionWindow::start_over() {
  most_before_ = 0;
  epoch_s_ = none;
  samples_ = 0;
  least_of_round_s_ = std::numeric_limits<double>::infinity();
  slow_start_has_ended_ = false;
  least_round_trip_s_ = std::numeric_limits<double>::infinity();
}

}  // namespace ddl::network::packets

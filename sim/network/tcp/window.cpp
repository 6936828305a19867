#include "sim/network/tcp/window.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/network/packets/window_rules.hpp"

namespace ddl::network {
namespace {

constexpr double cubic_beta = 0.7, cubic_c = 0.4;  // RFC 9438, 4.1
constexpr double reno_growth = 3 * (1 - cubic_beta) / (1 + cubic_beta);
constexpr double first_growth = 0.05;          // per round at least, as long as nothing was ever lost
constexpr double first_receive_segments = 45;  // 64 kB

}  // namespace

void TcpWindow::rest(double idle_s, double round_trip_s) {
  const double timeout_s = round_trip_s + rules_->least_timeout_s;
  if (!rules_->slow_start_after_idle || idle_s <= timeout_s) return;
  // Three quarters of the old window may soon be reached again: slow start ends there.
  constexpr double remembered = 0.75;
  slow_start_until_ = std::max(slow_start_until_, std::floor(remembered * segments_));
  segments_ = packets::decayed(segments_, idle_s, timeout_s, *rules_);
}

// The window grows only if it was the limit (RFC 2861); in slow start half of it is enough (Linux).
void TcpWindow::grow(const TcpRound& round) {
  if (!in_slow_start()) {
    if (round.used >= std::floor(segments_)) grow_slowly(round);
    return;
  }
  if (2 * round.used <= segments_) return;
  double acknowledged = round.sent;
  const bool ends = slow_start_ends(round, acknowledged);
  segments_ = std::min(segments_ + acknowledged, std::max(segments_, slow_start_until_));
  segments_ = std::min(segments_, rules_->most_segments);
  if (ends) slow_start_until_ = segments_;
}

// HyStart: acknowledgements come in one train for half a round trip, or later than before. Sets `acknowledged` to the
// number of segments acknowledged by then.
bool TcpWindow::slow_start_ends(const TcpRound& round, double& acknowledged) {
  // The receiver's window lets the first wide round leave in two trains only.
  const bool leaves_in_one =
      !std::exchange(is_narrow_, is_narrow_ && round.sent < first_receive_segments) || is_narrow_;
  least_queued_s_ = std::min(least_queued_s_, round.queued_s);
  const double least_round_trip_s = round.round_trip_s + least_queued_s_;
  if (segments_ + acknowledged <= packets::hystart_least_segments) return false;
  if (round.queued_s > least_queued_s_ + packets::hystart_delay_s(least_round_trip_s)) {
    acknowledged =
        std::min(acknowledged, std::max<double>(packets::hystart_samples, packets::hystart_least_segments - segments_));
    return true;
  }
  const double gap_s = 2 * round.spread_s / std::max(1.0, round.sent);  // one acknowledgement for two segments
  if (!leaves_in_one || gap_s > packets::hystart_train_gap_s || round.spread_s <= round.round_trip_s / 2) return false;
  const double by_then = round.sent * round.round_trip_s / 2 / round.spread_s;
  acknowledged = std::min(acknowledged, std::max(by_then, packets::hystart_least_segments - segments_));
  return true;
}

void TcpWindow::grow_slowly(const TcpRound& round) {
  if (since_epoch_s_ < 0) {
    since_epoch_s_ = 0;
    origin_ = std::max(most_before_, segments_);
    until_origin_s_ = packets::cubic_root((origin_ - segments_) / cubic_c);
    as_reno_ = segments_;
  }
  since_epoch_s_ += round.share * round.seconds;
  const double target = origin_ + cubic_c * packets::cubed(since_epoch_s_ + round.round_trip_s - until_origin_s_);
  double growth = target - segments_;
  if (most_before_ == 0) growth = std::max(growth, first_growth * round.share * segments_);
  as_reno_ += reno_growth * round.sent / segments_;
  growth = std::clamp(std::max(growth, as_reno_ - segments_), 0.0, segments_ / 2);
  segments_ = std::min(segments_ + growth, rules_->most_segments);
}

void TcpWindow::lose() {
  since_epoch_s_ = -1;
  most_before_ = segments_ < most_before_ ? segments_ * (1 + cubic_beta) / 2 : segments_;
  segments_ = std::max(2.0, std::floor(cubic_beta * segments_));
  slow_start_until_ = segments_;
}

}  // namespace ddl::network

// Round-trip times of a connection, and the timeout that follows from them (RFC 6298), as Linux counts them: their
// variance counts as 200 ms at least, grows at once and shrinks once per round trip.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ddl::network::packets {

class RoundTrips {
 public:
  // `handshake_s`: the first one, of the segments that open the connection.
  explicit RoundTrips(double handshake_s)
      : least_s_(handshake_s),
        smoothed_s_(handshake_s),
        deviation_s_(handshake_s / 2),
        most_deviation_s_(deviation_s_),
        variance_s_(std::max(least_variance_s, 4 * deviation_s_)) {}

  double least_s() const { return least_s_; }
  double smoothed_s() const { return smoothed_s_; }
  double timeout_s() const { return smoothed_s_ + std::max(variance_s_, least_variance_s); }
  double timeout_s(int after_timeouts) const {  // number of timeouts in a row
    return std::min(std::ldexp(timeout_s(), std::min(after_timeouts, most_doublings)), most_timeout_s);
  }

  // A segment was acknowledged so long after it was sent; `newest_s` is the shortest of those acknowledged with it.
  // Segments before `acknowledged` are there, those before `next` have been sent.
  void add(double sample_s, double newest_s, std::int64_t acknowledged, std::int64_t next) {
    least_s_ = std::min(least_s_, newest_s);
    const double error_s = sample_s - smoothed_s_, distance_s = std::abs(error_s);
    smoothed_s_ += error_s / 8;
    // A much shorter one says little about how long others may be.
    const double weight = error_s < 0 && distance_s > deviation_s_ ? 1.0 / 32 : 1.0 / 4;
    deviation_s_ += weight * (distance_s - deviation_s_);
    most_deviation_s_ = std::max(most_deviation_s_, deviation_s_);
    variance_s_ = std::max(variance_s_, 4 * most_deviation_s_);
    if (acknowledged <= round_ends_) return;
    round_ends_ = next;
    variance_s_ -= std::max(0.0, variance_s_ - std::max(least_variance_s, 4 * most_deviation_s_)) / 4;
    most_deviation_s_ = least_variance_s / 4;
  }

 private:
  static constexpr double least_variance_s = 0.2, most_timeout_s = 120;
  static constexpr int most_doublings = 30;  // more change nothing: most_timeout_s is reached
  double least_s_, smoothed_s_, deviation_s_, most_deviation_s_, variance_s_;
  std::int64_t round_ends_ = 0;
};

}  // namespace ddl::network::packets

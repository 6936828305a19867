#include "sim/network/packets/burst.hpp"

#include <algorithm>
#include <cmath>

#include "sim/network/packets/segment.hpp"

namespace ddl::network::packets {
namespace {

constexpr double most_burst_bytes = 65536, burst_s = 1.0 / 1024, halving_s = 512e-6, most_halvings = 31;
constexpr double least_burst_segments = 2;
constexpr double pace_in_slow_start = 2, pace_later = 1.2;  // windows per round trip (tcp_update_pacing_rate)
constexpr double soon_s = 0.001, share_of_window = 3;

// Segments of a whole burst.
double whole_burst(const CongestionWindow& window, std::int64_t under_way, const RoundTrips& trips) {
  const auto segments = static_cast<double>(window.segments());
  const double pace = segments < window.threshold() / 2 ? pace_in_slow_start : pace_later;
  const double used = std::max(segments, static_cast<double>(under_way));
  const double paced_bytes = pace * used * segment_bytes * burst_s / trips.smoothed_s();
  const double halvings = std::min(trips.least_s() / halving_s, most_halvings);
  const double quick_bytes = std::ldexp(most_burst_bytes, -static_cast<int>(halvings));
  const double bytes = std::min(paced_bytes + quick_bytes, most_burst_bytes);
  return std::max(least_burst_segments, std::floor(bytes / segment_bytes));
}

bool waits(double now_s, const Sending& sending, double free_bytes, double burst_bytes, double window_bytes,
           const RoundTrips& trips) {
  if (!sending.may_wait || sending.unsent_bytes <= segment_bytes || now_s - sending.last_sent_s > soon_s) return false;
  const double share_bytes = std::min(sending.receivers_window_bytes, window_bytes) / share_of_window;
  if (std::min(sending.room_bytes, free_bytes) >= std::min(burst_bytes, share_bytes)) return false;
  const double expected_s = sending.first_sent_s + trips.smoothed_s();
  return expected_s - now_s <= std::min(soon_s, trips.smoothed_s() / 2);
}

}  // namespace

Burst next_burst(double now_s, const Sending& sending, const CongestionWindow& window, const RoundTrips& trips) {
  const double unsent = sending.unsent_bytes, room = sending.room_bytes;
  const auto segments = static_cast<double>(window.segments());
  const double free = segments - static_cast<double>(sending.under_way), free_bytes = free * segment_bytes;
  if (!(unsent > 0) || free <= 0 || room < std::min(unsent, segment_bytes)) return {};
  const double burst = whole_burst(window, sending.under_way, trips);
  if (waits(now_s, sending, free_bytes, burst * segment_bytes, segments * segment_bytes, trips)) {
    return {.waits_for_window = free_bytes < room && free_bytes <= unsent};
  }
  const double half = std::max(1.0, std::floor(segments / 2));
  return {.bytes = std::min({unsent, room, std::min({free, half, burst}) * segment_bytes})};
}

}  // namespace ddl::network::packets

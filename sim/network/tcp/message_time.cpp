#include "sim/network/tcp/message_time.hpp"

#include <algorithm>
#include <cmath>

namespace ddl::network {
namespace {

// Of a round whose `sent` segments have been acknowledged. A window that the sender did not need does not grow (RFC
// 2861; in slow start Linux takes half of it for needed).
void grow(TcpWindow& window, double sent, const TcpRules& rules) {
  const bool in_slow_start = window.segments < window.slow_start_until;
  const bool needed = in_slow_start ? 2 * sent > window.segments : sent >= window.segments;
  if (!needed) return;
  if (in_slow_start) {
    window.segments = std::min(window.segments + sent, std::max(window.segments, window.slow_start_until));
  } else {
    window.segments += 1;
  }
  window.segments = std::min(window.segments, rules.most_segments);
}

}  // namespace

TcpWindow window_after_idle(TcpWindow window, double idle_s, const TcpPath& path, const TcpRules& rules) {
  if (!rules.slow_start_after_idle) return window;
  const double timeout_s = path.round_trip_s + rules.least_timeout_s;
  const double least = std::min(rules.initial_segments, window.segments);
  if (idle_s <= timeout_s) return window;
  // Where it was, it may soon be again: slow start ends at three quarters of it.
  constexpr double remembered = 0.75;
  window.slow_start_until = std::max(window.slow_start_until, std::floor(remembered * window.segments));
  for (double left_s = idle_s - timeout_s; left_s > 0 && window.segments > least; left_s -= timeout_s) {
    window.segments = std::floor(window.segments / 2);
  }
  window.segments = std::max(window.segments, least);
  return window;
}

TcpMessageTime tcp_message_time(double bytes, const TcpPath& path, double idle_s, const TcpWindow& window,
                                const TcpRules& rules) {
  TcpMessageTime result{0, window_after_idle(window, idle_s, path, rules)};
  TcpWindow& now = result.after;
  now.segments = std::min(now.segments, rules.most_segments);
  const double wire_bytes = bytes / rules.segment_bytes * rules.frame_bytes;
  const double segment_s = rules.frame_bytes / path.bytes_per_s;
  double left = std::ceil(bytes / rules.segment_bytes), waited_s = 0;
  // A flight that leaves before the first of its acknowledgements is back leaves the sender idle until then.
  while (left > 0) {
    const double sent = std::min(left, now.segments);
    const double idle_until_s = path.round_trip_s + segment_s - sent * segment_s;
    left -= sent;
    if (left > 0) waited_s += std::max(0.0, idle_until_s);
    grow(now, sent, rules);
  }
  result.seconds = waited_s + wire_bytes / path.bytes_per_s + path.round_trip_s / 2;
  return result;
}

}  // namespace ddl::network

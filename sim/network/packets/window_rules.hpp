// Common rules of the congestion windows of both models of TCP. They are two classes because their rules differ where
// one counts and the other estimates. Even a single rule of the other would move times: with beta as Linux rounds it,
// TcpWindow moves those of het_wan_ps_async from the second step on.
//
//                  CongestionWindow (packets)                        TcpWindow (sim/network/tcp)
//   input          each acknowledgement, and its time                once a round: segments sent, and their spread
//   unit           whole segments                                    fractions of segments
//   CUBIC          Linux's step of acknowledged segments, in ticks   the curve of RFC 9438 at the end of a round
//   Reno's pace    15/8 windows for each segment                     3 (1 - beta) / (1 + beta) of a segment a round
//   first growth   a segment for 20 acknowledged, until a loss       a twentieth a round, until a loss
//   HyStart        trains and delays of acknowledgements themselves  a train's length by its spread, delays by queues
//   loss           threshold alone; recovery sets the window          window and threshold at once
//   beta           717/1024, as Linux rounds it                      0.7
//   undone         restore(), start_over()                           never: a round knows its losses
#pragma once

#include <algorithm>
#include <cmath>

#include "core/base/portable_math.hpp"
#include "sim/network/packets/tcp_rules.hpp"

namespace ddl::network::packets {

// HyStart: slow start goes on below `hystart_least_segments`; acknowledgements closer than `hystart_train_gap_s` are
// one train; `hystart_samples` round trips show that they are late.
constexpr double hystart_least_segments = 16, hystart_train_gap_s = 0.002;
constexpr int hystart_samples = 8;

// Delay of acknowledgements, compared with earlier ones, that ends slow start (RFC 9406, 4.2).
inline double hystart_delay_s(double least_round_trip_s) {
  constexpr double least_s = 0.004, most_s = 0.016;
  return std::clamp(least_round_trip_s / 8, least_s, most_s);
}

// The window of a connection that had nothing under way for `idle_s`: it halves with each timeout beyond the first (RFC
// 2861).
inline double decayed(double segments, double idle_s, double timeout_s, const TcpRules& rules) {
  const double least = std::min(rules.initial_segments, segments);
  for (double left_s = idle_s - timeout_s; left_s > 0 && segments > least; left_s -= timeout_s) {
    segments = std::floor(segments / 2);
  }
  return std::max(segments, least);
}

inline double cubed(double x) { return x * x * x; }
// The last digit of the C library's depends on its version.
inline double cubic_root(double x) { return x > 0 ? portable_exp(portable_log(x) / 3) : 0; }

}  // namespace ddl::network::packets

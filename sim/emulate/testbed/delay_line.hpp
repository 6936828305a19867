// One direction of an emulated link: a queue that drops what it has no room for, a rate, and a latency. It knows no
// clock: its caller says what time it is.
//
// A frame waits until those before it have left, takes its length over the rate, is lost with a probability, and comes
// out a latency later. Frames never overtake each other: where jitter would have one do so, both come out at once.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

#include "core/base/rng.hpp"

namespace ddl::emulate {

struct Packet {
  std::vector<std::uint8_t> bytes;  // of IP
  int target = 0;                   // node
};

// What a link adds to a packet, so that limits count what they count on a real one.
constexpr double ethernet_bytes = 14;

class DelayLine {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  struct Settings {
    double bytes_per_s = 0;  // of frames
    double latency_s = 0;
    double jitter_s = 0;  // the latency of a frame is drawn uniformly from latency_s -+ jitter_s; not above latency_s
    double loss = 0;      // probability, of a frame that has left the queue
    double queue_bytes = 0;  // frames that wait, and the one that is leaving, hold at most so many
  };
  struct Counts {
    std::int64_t taken = 0, dropped = 0, lost = 0;  // frames: offered, refused by the full queue, lost at random
  };

  DelayLine(const Settings& settings, Stream random) : settings_(settings), random_(random) {}

  // What is due by then has been let happen.
  void offer(double now_s, Packet packet);
  // Of the next thing that happens in here.
  double next_s() const { return leaves_s_ < comes_out_s() ? leaves_s_ : comes_out_s(); }
  // Lets that happen; the frame, if it comes out then.
  std::optional<Packet> step();
  // From now on, shares of the settings. A link whose rate is 0 keeps what waits; what has left it comes out.
  void set_factors(double now_s, double rate, double latency);

  const Counts& counts() const { return counts_; }

 private:
  struct Flying {
    Packet packet;
    double due_s;
  };
  double comes_out_s() const { return flying_.empty() ? never : flying_.front().due_s; }
  void plan(double now_s);
  void leave(double now_s);

  Settings settings_;
  Stream random_;
  double rate_factor_ = 1, latency_factor_ = 1;
  std::deque<Packet> waiting_;  // the first is leaving
  double waiting_bytes_ = 0;
  double left_bytes_ = 0, planned_s_ = 0;  // of the first: still to leave, as of then
  double leaves_s_ = never, free_s_ = 0;   // the first; the one before it
  std::deque<Flying> flying_;
  Counts counts_;
};

}  // namespace ddl::emulate

// One direction of a link: a queue that drops what it has no room for, a rate, and a latency. Of the emulation's delay
// box and of the model "packets" alike. It knows no clock: its caller says what time it is.
//
// A frame waits until those before it have left, takes its length over the rate, is lost with a probability, and comes
// out a latency later. Frames never overtake each other: where jitter would have one do so, both come out at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/rng.hpp"

namespace ddl::network {

// `frame_bytes_of(packet)` is the length of a Packet's frame.
template <class Packet>
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
  void offer(double now_s, Packet packet) {
    ++counts_.taken;
    const double size = frame_bytes_of(packet);
    if (!waiting_.empty() && waiting_bytes_ + size > settings_.queue_bytes) {
      ++counts_.dropped;
      return;
    }
    waiting_bytes_ += size;
    waiting_.push_back(std::move(packet));
    if (waiting_.size() > 1) return;
    left_bytes_ = size;
    plan(std::max(now_s, free_s_));
  }
  // Of the next thing that happens in here.
  double next_s() const { return leaves_s_ < comes_out_s() ? leaves_s_ : comes_out_s(); }
  // Lets that happen; the frame, if it comes out then.
  std::optional<Packet> step() {
    if (leaves_s_ < comes_out_s()) {
      leave(leaves_s_);
      return std::nullopt;
    }
    Packet packet = std::move(flying_.front().packet);
    flying_.pop_front();
    return packet;
  }
  // From now on, shares of the settings. A link whose rate is 0 keeps what waits; what has left it comes out.
  void set_factors(double now_s, double rate, double latency) {
    if (!waiting_.empty()) left_bytes_ -= std::max(0.0, now_s - planned_s_) * settings_.bytes_per_s * rate_factor_;
    rate_factor_ = rate;
    latency_factor_ = latency;
    if (!waiting_.empty()) plan(now_s);
  }

  std::int64_t flying() const { return static_cast<std::int64_t>(flying_.size()); }  // frames that have left the queue
  double latency_s() const { return settings_.latency_s * latency_factor_; }
  double rate_factor() const { return rate_factor_; }
  const Settings& settings() const { return settings_; }
  const Counts& counts() const { return counts_; }

 private:
  struct Flying {
    Packet packet;
    double due_s;
  };
  double comes_out_s() const { return flying_.empty() ? never : flying_.front().due_s; }
  void plan(double now_s) {
    planned_s_ = now_s;
    const double rate = settings_.bytes_per_s * rate_factor_;
    leaves_s_ = rate > 0 ? now_s + left_bytes_ / rate : never;
  }
  void leave(double now_s) {
    Packet packet = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= frame_bytes_of(packet);
    leaves_s_ = never;
    free_s_ = now_s;
    if (!waiting_.empty()) {
      left_bytes_ = frame_bytes_of(waiting_.front());
      plan(now_s);
    }
    if (settings_.loss > 0 && random_.uniform() < settings_.loss) {
      ++counts_.lost;
      return;
    }
    const double drawn = settings_.jitter_s > 0 ? settings_.jitter_s * (2 * random_.uniform() - 1) : 0;
    const double before_s = flying_.empty() ? now_s : flying_.back().due_s;
    const double due_s = now_s + settings_.latency_s * latency_factor_ + drawn;
    flying_.push_back({std::move(packet), std::max({now_s, before_s, due_s})});
  }

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

}  // namespace ddl::network

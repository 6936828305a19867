// One direction of a link: a queue that drops frames without room, a rate, and a latency. For the laboratory's emulated
// links and the model "packets" alike. Without a clock: its caller passes the time.
//
// A frame waits until earlier frames have left, takes its length over the rate, is lost with a probability, and comes
// out a latency later. Frames never overtake each other: where jitter would reorder two, both come out at once.
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
    double bytes_per_s = 0;  // counts whole frames
    double latency_s = 0;
    double jitter_s = 0;  // the latency of a frame is drawn uniformly from latency_s -+ jitter_s; none is less than 0
    double loss = 0;      // per frame that has left the queue
    double queue_bytes = 0;  // limit for frames that wait or are leaving
  };
  struct Counts {
    std::int64_t taken = 0, dropped = 0, lost = 0;  // frames: offered, refused by the full queue, lost at random
  };

  DelayLine(const Settings& settings, Stream random) : settings_(settings), random_(random) {}

  // Processes earlier events first. False if there is no room.
  bool offer(double now_s, Packet packet) {
    ++counts_.taken;
    let_leave(now_s);
    const double size = frame_bytes_of(packet);
    if (!any_waits()) {
      left_bytes_ = size;
    } else if (waiting_bytes_ + size > settings_.queue_bytes) {
      ++counts_.dropped;
      return false;
    }
    waiting_bytes_ += size;
    Frame& frame = frames_.emplace_back();
    frame.packet = std::move(packet);
    frame.is_lost = settings_.loss > 0 && random_.uniform() < settings_.loss;
    if (!frame.is_lost && settings_.jitter_s > 0) frame.jitter_s = settings_.jitter_s * (2 * random_.uniform() - 1);
    plan(frame, now_s, size);
    return true;
  }
  double next_s() const { return frames_.empty() ? never : frames_.front().due_s; }  // the next frame comes out
  // Lets that happen; the frame, unless it is lost.
  std::optional<Packet> step() {
    Frame& first = frames_.front();
    let_leave(first.due_s);
    --left_;
    std::optional<Packet> packet;
    if (first.is_lost) {
      ++counts_.lost;
    } else {
      packet = std::move(first.packet);
    }
    frames_.pop_front();
    return packet;
  }
  // From now on, as shares of the settings. A link with rate 0 keeps its queue; frames that have left it come out.
  void set_factors(double now_s, double rate, double latency) {
    let_leave(now_s);
    const double before = settings_.bytes_per_s * rate_factor_;
    if (any_waits() && before > 0) left_bytes_ = (frames_[left_].leaves_s - now_s) * before;
    rate_factor_ = rate;
    latency_factor_ = latency;
    free_s_ = now_s;
    last_due_s_ = left_ > 0 ? frames_[left_ - 1].due_s : now_s;
    for (std::size_t i = left_; i < frames_.size(); ++i) {
      plan(frames_[i], now_s, i == left_ ? left_bytes_ : frame_bytes_of(frames_[i].packet));
    }
  }

  // Lower bound, until the factors change, of the time at which `frames` more frames have come out: all but one have
  // `bytes`.
  double least_s_of(double now_s, std::int64_t frames, double bytes) const {
    const auto here = static_cast<std::int64_t>(frames_.size());
    if (frames <= here) return frames_[static_cast<std::size_t>(frames - 1)].due_s;
    const double rate = settings_.bytes_per_s * rate_factor_;
    if (!(rate > 0)) return never;
    const double leaves_s = std::max(now_s, free_s_) + static_cast<double>(frames - here - 1) * bytes / rate;
    return std::max(last_due_s_, leaves_s + least_latency_s());
  }
  double last_s() const { return last_due_s_; }  // the frame that was offered last comes out
  double latency_s() const { return settings_.latency_s * latency_factor_; }
  double least_latency_s() const { return std::max(0.0, latency_s() - settings_.jitter_s); }
  // Frames that can have left the queue without having come out.
  double bytes_on_their_way() const {
    return settings_.latency_s > 0 ? latency_s() * (settings_.bytes_per_s * rate_factor_) : 0;
  }
  double rate_factor() const { return rate_factor_; }
  double latency_factor() const { return latency_factor_; }
  const Settings& settings() const { return settings_; }
  const Counts& counts() const { return counts_; }

 private:
  struct Frame {
    Packet packet;
    bool is_lost = false;
    double jitter_s = 0;
    double leaves_s = 0, due_s = 0;  // the queue; out of the line
  };
  bool any_waits() const { return left_ < frames_.size(); }
  void let_leave(double now_s) {
    for (; any_waits() && frames_[left_].leaves_s <= now_s; ++left_) {
      waiting_bytes_ -= frame_bytes_of(frames_[left_].packet);
    }
  }
  // Plans the last frame, with `bytes` still to leave.
  void plan(Frame& frame, double now_s, double bytes) {
    const double rate = settings_.bytes_per_s * rate_factor_;
    frame.leaves_s = rate > 0 ? std::max(now_s, free_s_) + bytes / rate : never;
    free_s_ = frame.leaves_s;
    const double due_s = frame.is_lost ? free_s_ : free_s_ + settings_.latency_s * latency_factor_ + frame.jitter_s;
    frame.due_s = last_due_s_ = std::max({free_s_, last_due_s_, due_s});
  }

  Settings settings_;
  Stream random_;
  double rate_factor_ = 1, latency_factor_ = 1;
  std::deque<Frame> frames_;  // in order
  std::size_t left_ = 0;      // frames that have left the queue; the first waiting one may have left in part
  double waiting_bytes_ = 0;
  double left_bytes_ = 0;               // unsent part of the first waiting frame, when it got there or the rate changed
  double free_s_ = 0, last_due_s_ = 0;  // the last frame leaves the queue, and comes out
  Counts counts_;
};

}  // namespace ddl::network

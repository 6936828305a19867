#include "sim/emulate/testbed/delay_line.hpp"

#include <algorithm>
#include <utility>

namespace ddl::emulate {
namespace {

double frame_bytes_of(const Packet& packet) { return static_cast<double>(packet.bytes.size()) + ethernet_bytes; }

}  // namespace

void DelayLine::offer(double now_s, Packet packet) {
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

void DelayLine::plan(double now_s) {
  planned_s_ = now_s;
  const double rate = settings_.bytes_per_s * rate_factor_;
  leaves_s_ = rate > 0 ? now_s + left_bytes_ / rate : never;
}

std::optional<Packet> DelayLine::step() {
  if (leaves_s_ < comes_out_s()) {
    leave(leaves_s_);
    return std::nullopt;
  }
  Packet packet = std::move(flying_.front().packet);
  flying_.pop_front();
  return packet;
}

void DelayLine::leave(double now_s) {
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

void DelayLine::set_factors(double now_s, double rate, double latency) {
  if (!waiting_.empty()) left_bytes_ -= std::max(0.0, now_s - planned_s_) * settings_.bytes_per_s * rate_factor_;
  rate_factor_ = rate;
  latency_factor_ = latency;
  if (!waiting_.empty()) plan(now_s);
}

}  // namespace ddl::emulate

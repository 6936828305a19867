#include "sim/run/rows/tracer.hpp"

#include <algorithm>
#include <cmath>
#include <simgrid/s4u/Engine.hpp>
#include <utility>

namespace ddl::run {
namespace {

constexpr double first_period_s = 1e-6;
constexpr std::size_t least_periods = 8;

double now() { return simgrid::s4u::Engine::get_clock(); }

}  // namespace

Tracer::Tracer(platform::Fabric& fabric, bool on, TraceLimits limits) : fabric_(fabric), on_(on), limits_(limits) {
  if (!on_) return;
  loads_.resize(fabric_.links().size());
  const std::size_t share = limits_.loads / std::max<std::size_t>(1, loads_.size());
  periods_ = std::clamp(share / 2 * 2, least_periods, limits_.periods);
  trace_.period_s = first_period_s;
}

Tracer::Handle Tracer::add(TraceSpan span) {
  const Handle none{std::numeric_limits<std::size_t>::max(), span.start_s};
  if (trace_.full_s) return none;
  if (trace_.spans.size() == limits_.spans) {
    trace_.full_s = span.start_s;
    return none;
  }
  trace_.spans.push_back(span);
  return {trace_.spans.size() - 1, span.start_s};
}

Tracer::Handle Tracer::begin(TraceSpan::Kind kind, int node, std::int64_t step) {
  if (!on_) return {};
  TraceSpan span;
  span.kind = kind;
  span.node = node;
  span.step = step;
  span.start_s = now();
  return add(span);
}

Tracer::Handle Tracer::begin_message(int source, int target, std::int64_t step, double bytes) {
  if (!on_) return {};
  TraceSpan span;
  span.kind = TraceSpan::message;
  span.node = source;
  span.peer = target;
  span.step = step;
  span.bytes = bytes;
  span.latency_s = fabric_.latency_now_s(fabric_.route(source, target));
  span.start_s = now();
  return add(span);
}

void Tracer::end(const Handle& handle) {
  if (!on_ || handle.span >= trace_.spans.size()) return;
  TraceSpan& span = trace_.spans[handle.span];
  span.end_s = now();
  span.finished = true;
}

void Tracer::end_message(const Handle& handle, int source, int target, double carried, MessageEnd how) {
  if (!on_) return;
  if (how != MessageEnd::cut_off) end(handle);
  if (how == MessageEnd::lost && handle.span < trace_.spans.size()) trace_.spans[handle.span].lost = true;
  if (carried <= 0) return;
  for (const int link : fabric_.route(source, target).links) add_load(link, carried, handle.start_s, now());
}

// A message that is sent at once waits for no time: of several changes in one instant the last counts.
void Tracer::queue_changed(int source, int target, std::size_t waiting) {
  if (!on_ || trace_.full_s) return;
  const auto change = static_cast<std::int64_t>(waiting) -
                      static_cast<std::int64_t>(std::exchange(waiting_[{source, target}], waiting));
  const auto known = queue_of_.find(source);
  const std::int64_t before = known == queue_of_.end() ? 0 : trace_.queues[known->second].messages;
  if (known != queue_of_.end() && trace_.queues[known->second].time_s == now()) {
    trace_.queues[known->second].messages += change;
    return;
  }
  queue_of_[source] = trace_.queues.size();
  trace_.queues.push_back({source, now(), before + change});
}

void Tracer::double_period() {
  for (std::vector<double>& load : loads_) {
    for (std::size_t i = 0; i < load.size(); ++i) {
      const double bytes = std::exchange(load[i], 0);
      load[i / 2] += bytes;
    }
  }
  trace_.period_s *= 2;
}

void Tracer::add_load(int link, double bytes, double start_s, double end_s) {
  while (end_s >= trace_.period_s * static_cast<double>(periods_)) double_period();
  std::vector<double>& load = loads_[static_cast<std::size_t>(link)];
  if (load.empty()) load.resize(periods_);
  const auto first = static_cast<std::size_t>(start_s / trace_.period_s);
  const auto last = static_cast<std::size_t>(end_s / trace_.period_s);
  if (first == last) {
    load[first] += bytes;
    return;
  }
  for (std::size_t period = first; period <= last; ++period) {
    const double from_s = std::max(start_s, static_cast<double>(period) * trace_.period_s);
    const double to_s = std::min(end_s, static_cast<double>(period + 1) * trace_.period_s);
    load[period] += bytes * (to_s - from_s) / (end_s - start_s);
  }
}

Trace Tracer::take(double end_s) {
  for (TraceSpan& span : trace_.spans) {
    if (!span.finished) span.end_s = end_s;
  }
  while (end_s > trace_.period_s * static_cast<double>(periods_)) double_period();
  const auto periods = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(end_s / trace_.period_s)));
  for (std::size_t link = 0; link < loads_.size(); ++link) {
    std::vector<double>& load = loads_[link];
    if (load.empty()) continue;
    // The clock's last digits may put what arrives in the last instant behind it.
    for (; load.size() > periods; load.pop_back()) load[periods - 1] += load.back();
    trace_.links.push_back({static_cast<int>(link), std::move(load)});
  }
  return std::move(trace_);
}

}  // namespace ddl::run

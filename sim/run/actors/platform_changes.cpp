#include "sim/run/actors/platform_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <simgrid/kernel/ProfileBuilder.hpp>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Host.hpp>

namespace ddl::run {

namespace sg = simgrid::s4u;

namespace {

constexpr std::size_t most_intervals = 20000;  // in a trace

}  // namespace

// SimGrid asks for the next value, and the time since the one before, whenever it has used up what it has.
PlatformChanges::PlatformChanges(platform::Fabric& fabric) : fabric_(fabric) {
  platform::Changes& changes = fabric.changes();
  for (const platform::LinkChange& change : changes.links) {
    const platform::LinkInfo& link = fabric.links()[static_cast<std::size_t>(change.link)];
    of_bandwidths_.push_back({"bandwidth of " + link.name + " " + link.direction, 0, 1});
    of_latencies_.push_back({"latency of " + link.name + " " + link.direction, 0, 1});
  }
  for (const platform::HostChange& change : changes.hosts)
    of_hosts_.push_back({"speed of " + fabric.name(change.node), 0, 1});
  for (std::size_t i = 0; i < changes.hosts.size(); ++i) {
    platform::HostChange& change = changes.hosts[i];
    const auto next_value = [this, &change, i, before_s = 0.0](auto& values) mutable {
      const double next = ddl::platform::next_s(change.speed);
      if (!(next < platform::TimeSeries::never)) return;
      ddl::platform::step_to(change.speed, next);
      const double factor = platform::product(change.speed);
      note(of_hosts_[i], next, factor);
      values.emplace_back(next - before_s, factor);
      before_s = next;
    };
    fabric.host(change.node)
        ->set_speed_profile(simgrid::kernel::profile::ProfileBuilder::from_callback(of_hosts_[i].what, next_value, -1));
  }
  step_to(0);
}

void PlatformChanges::note(Note& note, double now_s, double factor) {
  if (factor == note.factor) return;
  if (note.factor != 1 && intervals_.size() < most_intervals)
    intervals_.push_back({fmt::format("{} x {:.4g}", note.what, note.factor), note.since_s, now_s});
  note.since_s = now_s;
  note.factor = factor;
}

std::vector<TraceInterval> PlatformChanges::intervals(double end_s) const {
  std::vector<TraceInterval> result = intervals_;
  for (const auto* notes : {&of_bandwidths_, &of_latencies_, &of_hosts_}) {
    for (const Note& note : *notes) {
      if (note.factor != 1) result.push_back({fmt::format("{} x {:.4g}", note.what, note.factor), note.since_s, end_s});
    }
  }
  std::erase_if(result, [&](const TraceInterval& interval) { return interval.start_s >= end_s; });
  for (TraceInterval& interval : result) interval.end_s = std::min(interval.end_s, end_s);
  return result;
}

double PlatformChanges::next_s() const {
  double next = platform::TimeSeries::never;
  for (const platform::LinkChange& change : fabric_.changes().links) {
    next = std::min({next, ddl::platform::next_s(change.bandwidth), ddl::platform::next_s(change.latency)});
  }
  return next;
}

void PlatformChanges::step_to(double now_s) {
  for (std::size_t i = 0; i < fabric_.changes().links.size(); ++i) {
    const platform::LinkChange& change = fabric_.changes().links[i];
    const platform::LinkInfo& link = fabric_.links()[static_cast<std::size_t>(change.link)];
    if (ddl::platform::next_s(change.bandwidth) <= now_s) {
      ddl::platform::step_to(change.bandwidth, now_s);
      note(of_bandwidths_[i], now_s, platform::product(change.bandwidth));
      fabric_.set_bandwidth(change.link, link.bandwidth_bytes_per_s * platform::product(change.bandwidth));
    }
    if (ddl::platform::next_s(change.latency) <= now_s) {
      ddl::platform::step_to(change.latency, now_s);
      note(of_latencies_[i], now_s, platform::product(change.latency));
      fabric_.set_latency(change.link, link.latency_s * platform::product(change.latency));
    }
  }
}

void PlatformChanges::play(const std::function<void()>& changed) {
  for (double next = next_s(); next < platform::TimeSeries::never; next = next_s()) {
    sg::this_actor::sleep_until(next);
    step_to(next);
    changed();
  }
}

}  // namespace ddl::run

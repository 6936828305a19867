#include "sim/run/actors/hosts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddl::run {

Hosts::Hosts(const scenario::Scenario& scenario, const platform::Fabric& fabric)
    : fabric_(fabric),
      schedule_(scenario, fabric),
      presence_(fabric.node_count(), Presence::up),
      since_s_(fabric.node_count()),
      outages_of_(fabric.node_count()),
      has_lost_(fabric.node_count()) {
  const PerNode<char> away = schedule_.away_at_first();
  for (int node = 0; node < away.count(); ++node) {
    if (away[node]) presence_[node] = Presence::away;
  }
  for (int worker = 0; worker < fabric_.worker_count(); ++worker) workers_up_ += up(worker);
}

bool Hosts::all_up() const {
  return std::ranges::all_of(presence_, [](Presence presence) { return presence == Presence::up; });
}

bool Hosts::apply_event(const HostEvent& event) {
  const int node = event.node;
  switch (event.kind) {
    case HostEvent::crash:
      if (presence_[node] == Presence::away) return false;
      outages_of_[node].push_back(event.outage);
      return presence_[node] == Presence::up;
    case HostEvent::restart_kept:
    case HostEvent::restart_lost:
      if (std::erase(outages_of_[node], event.outage) == 0) return false;
      if (event.kind == HostEvent::restart_lost) has_lost_[node] = true;
      return outages_of_[node].empty();
    case HostEvent::join:
      return presence_[node] == Presence::away;
    case HostEvent::leave:
      return presence_[node] != Presence::away;
  }
  return false;
}

void Hosts::set(int node, Presence presence, double time_s) {
  if (presence_[node] != Presence::up) absences_.push_back({node, presence_[node], since_s_[node], time_s});
  if (node < fabric_.worker_count()) workers_up_ += (presence == Presence::up) - (presence_[node] == Presence::up);
  presence_[node] = presence;
  since_s_[node] = time_s;
  if (presence != Presence::down) {
    outages_of_[node].clear();
    has_lost_[node] = false;
  }
  ++events_;
}

// A host that is down starts again when its last outage ends, unless it leaves first; one that is away starts when it
// joins.
bool Hosts::starts_later(int node) const {
  bool away = presence(node) != Presence::down;
  std::vector<int> outages = outages_of_[node];
  for (std::size_t i = played_; i < schedule().size(); ++i) {
    const HostEvent& event = schedule()[i];
    if (event.node != node) continue;
    if (event.kind == HostEvent::leave) away = true;
    if (event.kind == HostEvent::join && away) return true;
    if (event.kind == HostEvent::crash) outages.push_back(event.outage);
    if (event.restarts() && !away && std::erase(outages, event.outage) > 0 && outages.empty()) return true;
  }
  return false;
}

std::vector<TraceInterval> Hosts::absences(double end_s) const {
  std::vector<TraceInterval> intervals;
  const auto add = [&](int node, Presence presence, double start_s, double until_s) {
    const char* what = presence == Presence::down ? " is down" : " is away";
    if (start_s < until_s) intervals.push_back({fabric_.name(node) + what, start_s, until_s});
  };
  for (const Absence& absence : absences_) add(absence.node, absence.presence, absence.start_s, absence.end_s);
  for (int node = 0; node < fabric_.node_count(); ++node) {
    if (!up(node)) add(node, presence(node), since_s_[node], end_s);
  }
  return intervals;
}

void Hosts::describe_absent(std::vector<std::string>& lines) const {
  for (int node = 0; node < fabric_.node_count(); ++node) {
    if (up(node)) continue;
    const char* what = presence(node) == Presence::down ? "crashed" : "left";
    lines.push_back(fmt::format("{} {} at {:.6g} s and does not come back", fabric_.name(node), what, since_s_[node]));
  }
}

}  // namespace ddl::run

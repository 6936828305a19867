#include "sim/runtime/hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "core/base/check.hpp"
#include "core/base/portable_math.hpp"
#include "core/base/rng.hpp"
#include "core/systems/table.hpp"

namespace ddl::runtime {
namespace {

int node_named(const platform::Fabric& fabric, int nodes, const std::string& name, const std::string& place) {
  for (int node = 0; node < nodes; ++node) {
    if (fabric.name(node) == name) return node;
  }
  if (name.empty()) throw InputError(place + ": is missing; expected the name of a host");
  throw InputError(place + ": no such host takes part: \"" + name + "\"");
}

double exponential(Stream& random, double mean) { return -mean * portable_log(1 - random.uniform()); }

// When a fault begins to change hosts; churn draws its own times.
double begins_s(const scenario::Fault& fault) {
  return std::visit(
      [](const auto& chosen) {
        if constexpr (requires { chosen.at; }) return chosen.at.value;
        return 0.0;
      },
      fault);
}

}  // namespace

Hosts::Hosts(const scenario::Scenario& scenario, const platform::Fabric& fabric)
    : fabric_(fabric),
      presence_(static_cast<std::size_t>(fabric.node_count()), Presence::up),
      since_s_(presence_.size()),
      outages_of_(presence_.size()),
      has_lost_(presence_.size()),
      churns_(presence_.size()) {
  add_faults(scenario, fabric.worker_count() + (scenario.algorithm->facts().needs_servers ? fabric.server_count() : 0));
  std::ranges::stable_sort(schedule_, {}, &HostEvent::time_s);
  check_agreement(scenario);
  // Who joins before it could leave is away at first.
  std::vector<char> decided(presence_.size());
  for (const HostEvent& event : schedule_) {
    const auto node = static_cast<std::size_t>(event.node);
    if (decided[node] || (event.kind != HostEvent::join && event.kind != HostEvent::leave)) continue;
    decided[node] = true;
    if (event.kind == HostEvent::join) presence_[node] = Presence::away;
  }
}

void Hosts::add_faults(const scenario::Scenario& scenario, int nodes) {
  std::vector<std::size_t> order(scenario.faults.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return begins_s(scenario.faults[i]); });
  for (const std::size_t i : order) {
    const std::string place = fmt::format("$.faults[{}]", i);
    const scenario::Fault& fault = scenario.faults[i];
    const auto find = [&](const std::string& name) { return node_named(fabric_, nodes, name, place + ".host"); };
    if (const auto* crash = std::get_if<scenario::HostCrash>(&fault)) {
      const int node = find(crash->host), outage = outages_++;
      schedule_.push_back({crash->at.value, node, HostEvent::crash, outage});
      const auto kind = crash->state == scenario::HostState::kept ? HostEvent::restart_kept : HostEvent::restart_lost;
      if (crash->restart) schedule_.push_back({crash->restart->value, node, kind, outage});
    } else if (const auto* join = std::get_if<scenario::HostJoin>(&fault)) {
      schedule_.push_back({join->at.value, find(join->host), HostEvent::join});
    } else if (const auto* leave = std::get_if<scenario::HostLeave>(&fault)) {
      const int node = find(leave->host);
      if (node >= fabric_.worker_count()) {
        throw InputError(place + ".host: is a server, which serves to the end; expected a worker");
      }
      schedule_.push_back({leave->at.value, node, HostEvent::leave});
    } else if (const auto* churn = std::get_if<scenario::HostChurn>(&fault)) {
      std::vector<int> churning;
      for (std::size_t k = 0; k < churn->hosts.size(); ++k) {
        churning.push_back(node_named(fabric_, nodes, churn->hosts[k], fmt::format("{}.hosts[{}]", place, k)));
      }
      for (int worker = 0; churn->hosts.empty() && worker < fabric_.worker_count(); ++worker) {
        churning.push_back(worker);
      }
      add_churn(*churn, churning, scenario);
    }
  }
}

// Servers that each count a worker's clock, or draw each round's workers, do so from what they have all heard.
void Hosts::check_agreement(const scenario::Scenario& scenario) const {
  if (!scenario.algorithm->facts().servers_agree || fabric_.server_count() < 2) return;
  const auto is_server = [&](const HostEvent& event) { return event.node >= fabric_.worker_count(); };
  const auto brings_worker = [&](const HostEvent& event) {
    return !is_server(event) && (event.restarts() || event.kind == HostEvent::join);
  };
  if (std::ranges::any_of(schedule_, is_server) && std::ranges::any_of(schedule_, brings_worker)) {
    throw InputError(
        "$.faults: workers come and servers crash, be it at other times: several servers would not agree about the "
        "workers; expected one server, \"ps_sync\", or faults of servers alone or of workers alone");
  }
}

// Every crash is followed by its restart, be it after the last crash's time.
void Hosts::add_churn(const scenario::HostChurn& churn, const std::vector<int>& nodes,
                      const scenario::Scenario& scenario) {
  double until_s = std::numeric_limits<double>::infinity();
  if (scenario.stop.time) until_s = scenario.stop.time->value;
  if (churn.until) until_s = std::min(until_s, churn.until->value);
  check(until_s < std::numeric_limits<double>::infinity(), "churn ends");
  const auto restart = churn.state == scenario::HostState::kept ? HostEvent::restart_kept : HostEvent::restart_lost;
  for (const int node : nodes) {
    const int before = churns_[static_cast<std::size_t>(node)]++;
    Stream random =
        stream(scenario.seed, fabric_.name(node), before == 0 ? "churn" : "churn " + std::to_string(before));
    double time_s = churn.from.value + exponential(random, churn.mean_up.value);
    while (time_s < until_s) {
      schedule_.push_back({time_s, node, HostEvent::crash, outages_});
      time_s += exponential(random, churn.mean_down.value);
      schedule_.push_back({time_s, node, restart, outages_++});
      time_s += exponential(random, churn.mean_up.value);
    }
  }
}

bool Hosts::all_up() const {
  return std::ranges::all_of(presence_, [](Presence presence) { return presence == Presence::up; });
}

bool Hosts::apply_event(const HostEvent& event) {
  const auto node = static_cast<std::size_t>(event.node);
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
  const auto at = static_cast<std::size_t>(node);
  if (presence_[at] != Presence::up) absences_.push_back({node, presence_[at], since_s_[at], time_s});
  presence_[at] = presence;
  since_s_[at] = time_s;
  if (presence != Presence::down) {
    outages_of_[at].clear();
    has_lost_[at] = false;
  }
  ++events_;
}

// What happens to a host that goes: it starts again, or leaves and does not, or joins.
bool Hosts::starts_later(int node) const {
  bool away = presence(node) != Presence::down;
  std::vector<int> outages = outages_of_[static_cast<std::size_t>(node)];
  for (std::size_t i = played_; i < schedule_.size(); ++i) {
    const HostEvent& event = schedule_[i];
    if (event.node != node) continue;
    if (event.kind == HostEvent::leave) away = true;
    if (event.kind == HostEvent::join && away) return true;
    if (event.kind == HostEvent::crash) outages.push_back(event.outage);
    if (event.restarts() && !away && std::erase(outages, event.outage) > 0 && outages.empty()) return true;
  }
  return false;
}

std::vector<experiment::TraceInterval> Hosts::absences(double end_s) const {
  std::vector<experiment::TraceInterval> intervals;
  const auto add = [&](int node, Presence presence, double start_s, double until_s) {
    const char* what = presence == Presence::down ? " is down" : " is away";
    if (start_s < until_s) intervals.push_back({fabric_.name(node) + what, start_s, until_s});
  };
  for (const Absence& absence : absences_) add(absence.node, absence.presence, absence.start_s, absence.end_s);
  for (int node = 0; node < fabric_.node_count(); ++node) {
    if (!up(node)) add(node, presence(node), since_s_[static_cast<std::size_t>(node)], end_s);
  }
  return intervals;
}

void Hosts::describe_absent(std::vector<std::string>& lines) const {
  for (int node = 0; node < fabric_.node_count(); ++node) {
    if (up(node)) continue;
    const char* what = presence(node) == Presence::down ? "crashed" : "left";
    lines.push_back(fmt::format("{} {} at {:.6g} s and does not come back", fabric_.name(node), what,
                                since_s_[static_cast<std::size_t>(node)]));
  }
}

}  // namespace ddl::runtime

#include "sim/runtime/hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/algorithms/table.hpp"
#include "core/base/check.hpp"
#include "core/base/portable_math.hpp"
#include "core/base/rng.hpp"

namespace ddl {
namespace {

int node_named(const Fabric& fabric, int nodes, const std::string& name, const std::string& place) {
  for (int node = 0; node < nodes; ++node) {
    if (fabric.name(node) == name) return node;
  }
  throw InputError(place + ": no such host takes part: \"" + name + "\"");
}

double exponential(Stream& random, double mean) { return -mean * portable_log(1 - random.uniform()); }

}  // namespace

Hosts::Hosts(const Scenario& scenario, const Fabric& fabric)
    : fabric_(fabric),
      presence_(static_cast<std::size_t>(fabric.node_count()), Presence::up),
      since_s_(presence_.size()) {
  const int nodes = fabric.worker_count() + (row_of(scenario.algorithm).needs_servers ? fabric.server_count() : 0);
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const std::string place = fmt::format("$.faults[{}]", i);
    const Fault& fault = scenario.faults[i];
    const auto find = [&](const std::string& name) { return node_named(fabric, nodes, name, place + ".host"); };
    if (const auto* crash = std::get_if<HostCrash>(&fault)) {
      const int node = find(crash->host);
      schedule_.push_back({crash->at.value, node, HostEvent::crash});
      const auto kind = crash->state == HostState::kept ? HostEvent::restart_kept : HostEvent::restart_lost;
      if (crash->restart) schedule_.push_back({crash->restart->value, node, kind});
    } else if (const auto* join = std::get_if<HostJoin>(&fault)) {
      const int node = find(join->host);
      presence_[static_cast<std::size_t>(node)] = Presence::away;
      schedule_.push_back({join->at.value, node, HostEvent::join});
    } else if (const auto* leave = std::get_if<HostLeave>(&fault)) {
      const int node = find(leave->host);
      if (node >= fabric.worker_count()) {
        throw InputError(place + ".host: is a server, which serves to the end; expected a worker");
      }
      schedule_.push_back({leave->at.value, node, HostEvent::leave});
    } else if (const auto* churn = std::get_if<HostChurn>(&fault)) {
      std::vector<int> churning;
      for (std::size_t k = 0; k < churn->hosts.size(); ++k) {
        churning.push_back(node_named(fabric, nodes, churn->hosts[k], fmt::format("{}.hosts[{}]", place, k)));
      }
      for (int worker = 0; churn->hosts.empty() && worker < fabric.worker_count(); ++worker) churning.push_back(worker);
      add_churn(*churn, churning, scenario);
    }
  }
  std::ranges::stable_sort(schedule_, {}, &HostEvent::time_s);
}

// Every crash is followed by its restart, be it after the last crash's time.
void Hosts::add_churn(const HostChurn& churn, const std::vector<int>& nodes, const Scenario& scenario) {
  double until_s = std::numeric_limits<double>::infinity();
  if (scenario.stop.time) until_s = scenario.stop.time->value;
  if (churn.until) until_s = std::min(until_s, churn.until->value);
  check(until_s < std::numeric_limits<double>::infinity(), "churn ends");
  const auto restart = churn.state == HostState::kept ? HostEvent::restart_kept : HostEvent::restart_lost;
  for (const int node : nodes) {
    Stream random = stream(scenario.seed, fabric_.name(node), "churn");
    double time_s = churn.from.value + exponential(random, churn.mean_up.value);
    while (time_s < until_s) {
      schedule_.push_back({time_s, node, HostEvent::crash});
      time_s += exponential(random, churn.mean_down.value);
      schedule_.push_back({time_s, node, restart});
      time_s += exponential(random, churn.mean_up.value);
    }
  }
}

bool Hosts::all_up() const {
  return std::ranges::all_of(presence_, [](Presence presence) { return presence == Presence::up; });
}

void Hosts::set(int node, Presence presence, double time_s) {
  presence_[static_cast<std::size_t>(node)] = presence;
  since_s_[static_cast<std::size_t>(node)] = time_s;
  ++events_;
}

bool Hosts::starts_later(int node) const {
  return std::any_of(schedule_.begin() + static_cast<std::ptrdiff_t>(played_), schedule_.end(),
                     [&](const HostEvent& event) {
                       if (event.node != node || up(node)) return false;
                       return presence(node) == Presence::down ? event.restarts() : event.kind == HostEvent::join;
                     });
}

void Hosts::describe_absent(std::vector<std::string>& lines) const {
  for (int node = 0; node < fabric_.node_count(); ++node) {
    if (up(node)) continue;
    const char* what = presence(node) == Presence::down ? "crashed" : "left";
    lines.push_back(fmt::format("{} {} at {:.6g} s and does not come back", fabric_.name(node), what,
                                since_s_[static_cast<std::size_t>(node)]));
  }
}

}  // namespace ddl

#include "sim/run/host_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "core/base/check.hpp"
#include "core/base/portable_math.hpp"
#include "core/base/rng.hpp"
#include "sim/scenario/reading/words.hpp"

namespace ddl::run {
namespace {

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

HostSchedule::HostSchedule(const scenario::Scenario& scenario, const platform::Fabric& fabric)
    : scenario_(scenario),
      fabric_(fabric),
      nodes_(fabric.worker_count() + (scenario.algorithm->facts().needs_servers ? fabric.server_count() : 0)),
      traced_(fabric.node_count()) {
  for (int node = 0; node < nodes_; ++node) first_on_host_.try_emplace(fabric.host_name(node), node);
  std::vector<std::size_t> order(scenario.faults.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return begins_s(scenario.faults[i]); });
  for (const std::size_t i : order) add(scenario.faults[i], fmt::format("$.faults[{}]", i));
  std::ranges::stable_sort(events_, {}, &HostEvent::time_s);
  check_agreement();
}

int HostSchedule::node_named(const std::string& name, const std::string& place) const {
  if (const auto found = first_on_host_.find(name); found != first_on_host_.end()) return found->second;
  if (name.empty()) throw InputError(place + ": is missing; expected the name of a host");
  std::vector<std::string> names;
  for (int node = 0; node < nodes_; ++node) {
    if (fabric_.first_on_host(node) == node) names.push_back(fabric_.name(node));
  }
  throw InputError(place + ": no such host takes part: " + scenario::in_quotes(name) + "; " +
                   scenario::nearest_or(name, names, "expected one of " + scenario::listed(names)));
}

std::vector<int> HostSchedule::hosts_at(const std::string& site, const std::string& place) const {
  std::vector<int> hosts = fabric_.nodes_at(site, place + ".site");
  std::erase_if(hosts, [this](int node) { return node >= nodes_; });
  return hosts;
}

template <class Fault>
std::vector<int> HostSchedule::hosts_of(const Fault& fault, const std::string& place) const {
  if (!fault.site.empty()) return hosts_at(fault.site, place);
  if (fabric_.places().left_out.contains(fault.host)) return {};
  return {node_named(fault.host, place + ".host")};
}

std::vector<int> HostSchedule::nodes_on_host_of(int first) const {
  std::vector<int> nodes = {first};
  for (int node = fabric_.worker_count(); fabric_.shares_host(first) && node < nodes_; ++node) {
    if (fabric_.first_on_host(node) == first && node != first) nodes.push_back(node);
  }
  return nodes;
}

void HostSchedule::expect_no_server(int node, const std::string& place) const {
  if (node < fabric_.worker_count() && nodes_on_host_of(node).size() == 1) return;
  throw InputError(place + ": is a server, which serves to the end; expected a worker");
}

void HostSchedule::add(const scenario::Fault& fault, const std::string& place) {
  if (const auto* crash = std::get_if<scenario::HostCrash>(&fault)) {
    const auto kind = crash->state == scenario::HostState::kept ? HostEvent::restart_kept : HostEvent::restart_lost;
    for (const int host : hosts_of(*crash, place)) {
      for (const int node : nodes_on_host_of(host)) {
        const int outage = outages_++;
        events_.push_back({crash->at.value, node, HostEvent::crash, outage});
        if (crash->restart) events_.push_back({crash->restart->value, node, kind, outage});
      }
    }
  } else if (const auto* join = std::get_if<scenario::HostJoin>(&fault)) {
    const std::string key = place + (join->site.empty() ? ".host" : ".site");
    for (const int node : hosts_of(*join, place)) {
      expect_no_trace(node, key);
      if (node < fabric_.worker_count()) expect_no_server(node, key);  // a server alone may begin late
      events_.push_back({join->at.value, node, HostEvent::join});
    }
  } else if (const auto* leave = std::get_if<scenario::HostLeave>(&fault)) {
    const std::string key = place + (leave->site.empty() ? ".host" : ".site");
    for (const int node : hosts_of(*leave, place)) {
      expect_no_server(node, key);
      expect_no_trace(node, key);
      events_.push_back({leave->at.value, node, HostEvent::leave});
    }
  } else if (const auto* trace = std::get_if<scenario::HostAvailability>(&fault)) {
    add_trace(*trace, place);
  } else if (const auto* churn = std::get_if<scenario::HostChurn>(&fault)) {
    if (!churn->site.empty()) return add_churn(*churn, "site " + churn->site, hosts_at(churn->site, place));
    std::vector<int> churning;
    for (std::size_t k = 0; k < churn->hosts.size(); ++k) {
      if (fabric_.places().left_out.contains(churn->hosts[k])) continue;
      churning.push_back(node_named(churn->hosts[k], fmt::format("{}.hosts[{}]", place, k)));
    }
    for (int worker = 0; churn->hosts.empty() && worker < fabric_.worker_count(); ++worker) churning.push_back(worker);
    for (const int node : churning) add_churn(*churn, fabric_.name(node), {node});
  }
}

void HostSchedule::expect_no_trace(int node, const std::string& place) const {
  if (traced_[node]) throw InputError(place + ": comes and goes by a trace of availability; expected another host");
}

void HostSchedule::add_trace(const scenario::HostAvailability& fault, const std::string& place) {
  using Times = std::vector<std::pair<double, double>>;
  std::vector<std::string> clients;
  std::map<std::string, Times> times;
  for (const scenario::ClientPresence& presence : fault.presence) {
    Times& of_client = times[presence.client];
    if (of_client.empty()) clients.push_back(presence.client);
    of_client.emplace_back(presence.from.value, presence.until.value);
  }
  std::vector<int> nodes;
  if (!fault.site.empty()) nodes = hosts_at(fault.site, place);
  const bool of_all = fault.site.empty() && fault.hosts.empty();
  for (int worker = 0; of_all && worker < fabric_.worker_count(); ++worker) nodes.push_back(worker);
  for (std::size_t k = 0; k < fault.hosts.size(); ++k) {
    const bool is_there = !fabric_.places().left_out.contains(fault.hosts[k]);
    nodes.push_back(is_there ? node_named(fault.hosts[k], fmt::format("{}.hosts[{}]", place, k)) : -1);
  }
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k] < 0) continue;
    const bool at_site = !fault.site.empty();
    const std::string at = place + (at_site ? ".site" : fault.hosts.empty() ? ".hosts" : fmt::format(".hosts[{}]", k));
    if (!at_site && fault.hosts.empty() && nodes_on_host_of(nodes[k]).size() > 1) {
      throw InputError(at + ": is missing, and " + fabric_.name(nodes[k]) +
                       " is a server, too, which serves to the end; expected names of workers that come and go");
    }
    expect_no_server(nodes[k], at);
    expect_no_trace(nodes[k], at);
    traced_[nodes[k]] = true;
    add_presences(nodes[k], times[clients[k % clients.size()]], fault.repeat_every);
  }
}

// One that ends when the next begins goes on.
void HostSchedule::add_presences(int node, const std::vector<std::pair<double, double>>& times,
                                 const std::optional<Seconds>& repeat_every) {
  const double period_s = repeat_every ? repeat_every->value : 0;
  // Time of the trace in its k-th repetition. The end of one is the beginning of the next, also after rounding.
  const auto time_s = [&](int k, double of_trace_s) {
    return of_trace_s == period_s ? (k + 1) * period_s : k * period_s + of_trace_s;
  };
  double there_until_s = 0;  // end of the presence that began with the last event, or at the beginning
  bool there = times.front().first == 0;
  for (int repetition = 0;; ++repetition) {
    if (repetition > 0 && (!repeat_every || time_s(repetition, 0) >= scenario_.stop.time->value)) break;
    for (const auto& [from_s, until_s] : times) {
      const double begin_s = time_s(repetition, from_s);
      if (!there || begin_s > there_until_s) {
        if (there) events_.push_back({there_until_s, node, HostEvent::leave});
        events_.push_back({begin_s, node, HostEvent::join});
        there = true;
      }
      there_until_s = time_s(repetition, until_s);
    }
  }
  events_.push_back({there_until_s, node, HostEvent::leave});
}

// Every crash is followed by its restart, be it after the last crash's time.
void HostSchedule::add_churn(const scenario::HostChurn& churn, const std::string& owner,
                             const std::vector<int>& hosts) {
  double until_s = std::numeric_limits<double>::infinity();
  if (scenario_.stop.time) until_s = scenario_.stop.time->value;
  if (churn.until) until_s = std::min(until_s, churn.until->value);
  check(until_s < std::numeric_limits<double>::infinity(), "churn ends");
  const auto restart = churn.state == scenario::HostState::kept ? HostEvent::restart_kept : HostEvent::restart_lost;
  const int before = churns_[owner]++;
  Stream random = stream(scenario_.seed, owner, before == 0 ? "churn" : "churn " + std::to_string(before));
  double time_s = churn.from.value + exponential(random, churn.mean_up.value);
  while (time_s < until_s) {
    const double crash_s = time_s;
    time_s += exponential(random, churn.mean_down.value);
    for (const int host : hosts) {
      for (const int of_host : nodes_on_host_of(host)) {
        events_.push_back({crash_s, of_host, HostEvent::crash, outages_});
        events_.push_back({time_s, of_host, restart, outages_++});
      }
    }
    time_s += exponential(random, churn.mean_up.value);
  }
}

// Servers that each count a worker's clock, or draw each round's workers, do so from what they have all received.
void HostSchedule::check_agreement() const {
  if (!scenario_.algorithm->facts().servers_agree || fabric_.server_count() < 2) return;
  const auto is_server = [&](const HostEvent& event) { return event.node >= fabric_.worker_count(); };
  const auto brings_worker = [&](const HostEvent& event) {
    return !is_server(event) && (event.restarts() || event.kind == HostEvent::join);
  };
  if (std::ranges::any_of(events_, is_server) && std::ranges::any_of(events_, brings_worker)) {
    throw InputError(
        "$.faults: workers come and servers crash, be it at other times: several servers would not agree about the "
        "workers; expected one server, a system whose servers need not agree, or faults of servers or of workers "
        "alone");
  }
}

PerNode<char> HostSchedule::away_at_first() const {
  PerNode<char> away(fabric_.node_count()), decided(fabric_.node_count());
  for (const HostEvent& event : events_) {
    const int node = event.node;
    if (decided[node] || (event.kind != HostEvent::join && event.kind != HostEvent::leave)) continue;
    decided[node] = true;
    away[node] = event.kind == HostEvent::join || event.time_s == 0;
  }
  return away;
}

}  // namespace ddl::run

#include "sim/run/host_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
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
      churns_(fabric.node_count()) {
  std::vector<std::size_t> order(scenario.faults.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return begins_s(scenario.faults[i]); });
  for (const std::size_t i : order) add(scenario.faults[i], fmt::format("$.faults[{}]", i));
  std::ranges::stable_sort(events_, {}, &HostEvent::time_s);
  check_agreement();
}

int HostSchedule::node_named(const std::string& name, const std::string& place) const {
  for (int node = 0; node < nodes_; ++node) {
    if (fabric_.host_name(node) == name) return node;
  }
  if (name.empty()) throw InputError(place + ": is missing; expected the name of a host");
  std::vector<std::string> names;
  for (int node = 0; node < nodes_; ++node) {
    if (fabric_.first_on_host(node) == node) names.push_back(fabric_.name(node));
  }
  throw InputError(place + ": no such host takes part: " + scenario::in_quotes(name) + "; " +
                   scenario::nearest_or(name, names, "expected one of " + scenario::listed(names)));
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
  const auto find = [&](const std::string& name) { return node_named(name, place + ".host"); };
  if (const auto* crash = std::get_if<scenario::HostCrash>(&fault)) {
    const auto kind = crash->state == scenario::HostState::kept ? HostEvent::restart_kept : HostEvent::restart_lost;
    for (const int node : nodes_on_host_of(find(crash->host))) {
      const int outage = outages_++;
      events_.push_back({crash->at.value, node, HostEvent::crash, outage});
      if (crash->restart) events_.push_back({crash->restart->value, node, kind, outage});
    }
  } else if (const auto* join = std::get_if<scenario::HostJoin>(&fault)) {
    const int node = find(join->host);
    if (node < fabric_.worker_count()) expect_no_server(node, place + ".host");  // a server alone may begin late
    events_.push_back({join->at.value, node, HostEvent::join});
  } else if (const auto* leave = std::get_if<scenario::HostLeave>(&fault)) {
    const int node = find(leave->host);
    expect_no_server(node, place + ".host");
    events_.push_back({leave->at.value, node, HostEvent::leave});
  } else if (const auto* churn = std::get_if<scenario::HostChurn>(&fault)) {
    std::vector<int> churning;
    for (std::size_t k = 0; k < churn->hosts.size(); ++k) {
      churning.push_back(node_named(churn->hosts[k], fmt::format("{}.hosts[{}]", place, k)));
    }
    for (int worker = 0; churn->hosts.empty() && worker < fabric_.worker_count(); ++worker) churning.push_back(worker);
    add_churn(*churn, churning);
  }
}

// Every crash is followed by its restart, be it after the last crash's time.
void HostSchedule::add_churn(const scenario::HostChurn& churn, const std::vector<int>& nodes) {
  double until_s = std::numeric_limits<double>::infinity();
  if (scenario_.stop.time) until_s = scenario_.stop.time->value;
  if (churn.until) until_s = std::min(until_s, churn.until->value);
  check(until_s < std::numeric_limits<double>::infinity(), "churn ends");
  const auto restart = churn.state == scenario::HostState::kept ? HostEvent::restart_kept : HostEvent::restart_lost;
  for (const int node : nodes) {
    const int before = churns_[node]++;
    Stream random =
        stream(scenario_.seed, fabric_.name(node), before == 0 ? "churn" : "churn " + std::to_string(before));
    double time_s = churn.from.value + exponential(random, churn.mean_up.value);
    while (time_s < until_s) {
      const double crash_s = time_s;
      time_s += exponential(random, churn.mean_down.value);
      for (const int of_host : nodes_on_host_of(node)) {
        events_.push_back({crash_s, of_host, HostEvent::crash, outages_});
        events_.push_back({time_s, of_host, restart, outages_++});
      }
      time_s += exponential(random, churn.mean_up.value);
    }
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
  PerNode<char> away(churns_.count()), decided(churns_.count());
  for (const HostEvent& event : events_) {
    const int node = event.node;
    if (decided[node] || (event.kind != HostEvent::join && event.kind != HostEvent::leave)) continue;
    decided[node] = true;
    away[node] = event.kind == HostEvent::join;
  }
  return away;
}

}  // namespace ddl::run

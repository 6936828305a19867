// Changes of a platform over simulated time: a scenario's profiles, and its faults of links and of hosts' speeds,
// resolved to the platform's links and hosts.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sim/platform/time_series.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::platform {

struct LinkInfo;

// The share of its bandwidth that a link without any has, since solvers of shares need something to share: in all the
// time that a run can last, less than a byte.
constexpr double no_bandwidth = 1e-25;

using TimeSeriesList = std::vector<std::unique_ptr<TimeSeries>>;

// Each time series is a factor on the platform's own value; factors that overlap multiply.
struct LinkChange {
  int link = 0;
  TimeSeriesList bandwidth, latency;
  double most_bandwidth = 1, least_latency = 1;  // best factors at any time
};
struct HostChange {
  int node = 0;
  TimeSeriesList speed;
  double most_speed = 1;
};

// Transmissions that may be lost.
struct LossRule {
  double probability = 0, retry_s = 0, from_s = 0, until_s = 0;
  int source = -1, target = -1;  // nodes; -1: any
  std::vector<int> links;        // only of messages over one of these; empty: of all
};

struct Changes {
  std::vector<LinkChange> links;  // by link
  std::vector<HostChange> hosts;  // by node
  std::vector<LossRule> losses;
  bool of_latency() const;
};

// `nodes`: names, the workers first; `speeds_flops` of each. Throws InputError, with the setting's path: no such link
// or host, or one whose quantity already has a profile, or cannot change. `nodes_at`: see Nodes.
using NodesAt = std::function<std::vector<int>(const std::string& site, const std::string& place)>;
Changes changes_of(const scenario::Scenario& scenario, const std::vector<LinkInfo>& links,
                   const std::vector<std::string>& nodes, const std::set<std::string>& left_out, int workers,
                   const std::vector<double>& speeds_flops, const NodesAt& nodes_at);

}  // namespace ddl::platform

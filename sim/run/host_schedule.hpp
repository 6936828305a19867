// When hosts crash, restart, join and leave, as a scenario's faults say.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/per_node.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::run {

struct HostEvent {
  enum Kind { crash, restart_kept, restart_lost, join, leave };
  double time_s = 0;
  int node = 0;
  Kind kind = crash;
  int outage = -1;  // a crash and its restart share a number
  bool restarts() const { return kind == restart_kept || kind == restart_lost; }
};

class HostSchedule {
 public:
  // Resolves churn into crashes and restarts. Throws InputError: no such host.
  HostSchedule(const scenario::Scenario& scenario, const platform::Fabric& fabric);

  // By time; those of one instant in the order in which their faults begin, then of the scenario.
  const std::vector<HostEvent>& events() const { return events_; }
  // By node: whether it leaves at once, or joins before it could leave, and so is away at first.
  PerNode<char> away_at_first() const;

 private:
  void add(const scenario::Fault& fault, const std::string& place);
  void add_trace(const scenario::HostAvailability& fault, const std::string& place);
  void add_presences(int node, const std::vector<std::pair<double, double>>& times,
                     const std::optional<Seconds>& repeat_every);
  // One draw for all these hosts.
  void add_churn(const scenario::HostChurn& churn, const std::string& owner, const std::vector<int>& hosts);
  // The first node on each host of a site, or on each that the fault names.
  std::vector<int> hosts_at(const std::string& site, const std::string& place) const;
  template <class Fault>
  std::vector<int> hosts_of(const Fault& fault, const std::string& place) const;
  int node_named(const std::string& name, const std::string& place) const;
  void expect_no_server(int node, const std::string& place) const;
  void expect_no_trace(int node, const std::string& place) const;
  // A worker's and a server's that are on one host crash together.
  std::vector<int> nodes_on_host_of(int first) const;
  void check_agreement() const;

  const scenario::Scenario& scenario_;
  const platform::Fabric& fabric_;
  const int nodes_;                           // in the system
  std::map<std::string, int> first_on_host_;  // node, by the host's name
  std::vector<HostEvent> events_;
  std::map<std::string, int> churns_;  // by host or site: so far
  PerNode<char> traced_;               // by node: whether it comes and goes by a trace
  int outages_ = 0;
};

}  // namespace ddl::run

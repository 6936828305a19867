// The simulated hosts and links of one run: SimGrid's engine with a platform loaded, and which hosts are workers and
// servers.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/node/traffic.hpp"
#include "sim/platform/changes.hpp"
#include "sim/platform/network_plan.hpp"
#include "sim/scenario/scenario.hpp"

namespace simgrid::s4u {
class Engine;
class Host;
}  // namespace simgrid::s4u

namespace ddl::platform {

struct LinkInfo {
  std::string name;                  // as users see it: without the _UP and _DOWN that SimGrid adds
  std::string direction;             // "up" | "down" (halves of a full-duplex link; a mesh's links go one way: "up") |
                                     // "both" (shared) | "free" (a fat pipe: every flow has all of it)
  double bandwidth_bytes_per_s = 0;  // nominal
  double latency_s = 0;              // nominal
};

struct Route {
  std::vector<int> links;                                         // indices into links()
  double latency_s = 0;                                           // nominal
  double window_bytes = std::numeric_limits<double>::infinity();  // a connection has at most so much under way

  // Between two nodes on one host messages take no time.
  bool within_host() const { return links.empty() && !(latency_s > 0); }
};

constexpr int most_tcp_flows = 4;  // calibrated against real TCP: results/validation

// The numbers of SimGrid's network model, as set for the platform.
struct NetworkNumbers {
  double latency_factor = 1, bandwidth_factor = 1;
  double weight_bytes = 0;           // this over a link's bandwidth is added to the latency by which flows are weighted
  int connections = 1;               // between two nodes, each with a part of every message
  int most_flows = 1;                // a connection counts as one to so many when links are full
  bool follows_connections = false;  // windows of TCP's connections decide latencies, of which is what follows
  double queue_s = 0;                // most that a packet waits for a link
  bool slow_start_after_idle = true;
};

// Workers that take part, among all that the platform has.
struct Places {
  std::vector<int> of_workers;     // among all, by worker that takes part
  int among = 0;                   // so many
  std::set<std::string> left_out;  // hosts that take no part

  bool all_take_part() const { return static_cast<int>(of_workers.size()) == among; }
};

// Owns SimGrid's engine: at most one may ever be made in a process, because SimGrid's clock is never reset.
//
// Factors in a platform file's <config> count, unlike its network model: config_settings.cpp has the list.
// SimGrid's log is off, including its report of a deadlock; what it prints before it aborts still goes to stderr,
// without a prefix.
class Fabric {
 public:
  // Builds or loads the platform, sets the network model. Throws InputError (absent or broken file, unknown or too few
  // hosts). A platform file is first loaded in a forked child, because SimGrid aborts at some mistakes.
  explicit Fabric(const scenario::Scenario& scenario);
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  simgrid::s4u::Engine& engine();
  int worker_count() const;
  const Places& places() const;  // workers that platform.exclude leaves
  int server_count() const;
  int node_count() const { return worker_count() + server_count(); }
  simgrid::s4u::Host* host(int node) const;  // workers first, then servers
  const std::string& name(int node) const;   // its host's; of a server on a worker's host "w0 server"
  const std::string& host_name(int node) const;
  int first_on_host(int node) const;  // the worker on whose host a server is, or the node itself
  bool shares_host(int node) const;
  double speed_flops(int node) const;  // per core
  int core_count(int node) const;
  const std::vector<std::string>& site_names() const;  // empty: the platform does not name them
  int site(int node) const;  // its number from 0; 0 for all where the platform does not name sites
  // The nodes at a site. Throws InputError, with `place`: there is no such site.
  std::vector<int> nodes_at(const std::string& site, const std::string& place) const;
  const std::vector<std::string>& notes() const;  // parts of a platform file that are passed over, a line each
  // Tells about how many segments a run would send in the model packets. Too many, and the model becomes TCP, unless
  // the scenario names one.
  void expect_segments(double segments);
  const NetworkPlan& network_plan() const;
  const NetworkNumbers& network_numbers() const;
  // Profiles and faults of the scenario, as time series.
  Changes& changes();
  // The present value, for what is in changes() only; of bandwidths more than nothing.
  void set_bandwidth(int link, double bytes_per_s);
  void set_latency(int link, double seconds);
  double bandwidth_bytes_per_s(int link) const;
  // `changed` is called by set_bandwidth unless SimGrid carries the messages.
  void when_bandwidth_changes(std::function<void(int link, double bandwidth_bytes_per_s)> changed);
  void when_latency_changes(std::function<void(int link)> changed);  // by set_latency
  // A route's latency for messages that start now, and the least at any time.
  double latency_now_s(const Route& route) const;
  double least_latency_s(const Route& route) const;
  double most_bandwidth_bytes_per_s(int link) const;  // the most at any time
  // By which flows are weighted: the nominal one, or the most at any time if that is more; of latencies the nominal.
  double weighing_bandwidth_bytes_per_s(int link) const;
  bool links_change() const;
  bool speed_changes(int node) const;
  double most_speed_factor(int node) const;  // on its nominal speed

  bool any_free_link() const;
  bool needs_way_back() const;  // a message's acknowledgements take it

  // In natural order; those on a route between two nodes, or of a file with very many nodes all.
  const std::vector<LinkInfo>& links() const;
  // Between nodes; found once, then kept. Throws InputError: there is none, or it takes a Wi-Fi link, there or, where
  // it is needed, back.
  const Route& route(int source, int target) const;
  Route find_route(int source, int target) const;  // the same, not kept: there may be many pairs

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace ddl::platform

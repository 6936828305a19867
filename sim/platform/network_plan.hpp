// Decides which network model a run has and what carries its messages, and says why.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "sim/scenario/scenario.hpp"

namespace ddl::platform {

// SimGrid's network model itself, or Flows in sim/network: the same model, solved where something changes.
// packets: TCP connections over links with queues, packet by packet.
enum class CarriedBy { simgrid, accelerator, packets };
constexpr auto enum_names(CarriedBy) { return in_order<CarriedBy>("simgrid", "accelerator", "packets"); }

// Packets are the default where a route is slow, or far and not so quick that packets cost too much. One way, and the
// bandwidth of a route's narrowest link.
constexpr double slow_route_bytes_per_s = 12.5e6, far_route_s = 0.002, far_route_bytes_per_s = 125e6;

// In order: of all routes of a network the greatest decides.
enum class RouteKind { near_and_quick, far_and_quick, far, slow };
constexpr RouteKind kind_of_route(double bytes_per_s, double latency_s) {
  if (bytes_per_s <= slow_route_bytes_per_s) return RouteKind::slow;
  if (latency_s < far_route_s * (1 - 1e-9)) return RouteKind::near_and_quick;  // a sum, which is rounded
  return bytes_per_s <= far_route_bytes_per_s ? RouteKind::far : RouteKind::far_and_quick;
}

// Facts of a platform that decide it.
struct NetworkFacts {
  std::size_t nodes = 0;
  bool plain_factors = true;  // none that depends on the size of a message
  bool latencies_change = false;
  bool sets_latency_factor = false;  // its file, by a <config>
  bool sets_sharing = false;         // likewise the bandwidth factor, or what of a bandwidth counts in weights
  // "a to b", a route between two nodes without any link, and one with latency on its way back alone; empty if there is
  // none. They look at all routes, so they are asked only where it matters. Null: there is none.
  std::function<std::string()> without_links = nullptr, latency_only_back = nullptr;
  // The greatest of all routes. Looks at them, so it is asked only where it matters. Null: near_and_quick.
  std::function<RouteKind()> kind_of_routes = nullptr;
  double segments = 0;              // about how many would travel packet by packet
  double quickest_bytes_per_s = 0;  // of all links
};

struct NetworkPlan {
  CarriedBy carried_by = CarriedBy::simgrid;
  scenario::NetworkModel model = scenario::NetworkModel::TCP;  // never automatic
  std::string why;                                             // carried by that one
};

// Beyond, SimGrid's solver is slow: each event costs it time for all transfers under way (docs/network.md has the
// measurement).
constexpr std::size_t most_nodes_of_simgrid = 32;

// Beyond, SimGrid's solver can abort: it counts to 1e-5 bytes/s, and doubles of that size are rounded to a fifth of it.
constexpr double most_bytes_per_s_of_simgrid = 12.5e9;

// Beyond, packets would take hours: each ordered pair of nodes is a connection.
constexpr std::size_t most_nodes_of_packets = 1000;

// Beyond, packets are simulated only if the scenario says so: a run takes time for each packet.
constexpr std::size_t most_nodes_of_packets_by_default = 100;

// Likewise: they take some two minutes.
constexpr double most_segments_by_default = 2e8;

// For archives.
template <class Archive>
void members(Archive& archive, NetworkPlan& plan) {
  archive(plan.carried_by, plan.model, plan.why);
}

// "TCP, carried by SimGrid", for tables.
std::string text_of(const NetworkPlan& plan);

// Throws InputError where the settings ask for what the platform does not allow.
NetworkPlan plan_network(const scenario::NetworkSpec& network, const NetworkFacts& facts);

}  // namespace ddl::platform

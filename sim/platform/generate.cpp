#include <array>

#include "core/base/check.hpp"
#include "sim/platform/hosts.hpp"
#include "sim/platform/simgrid_api.hpp"

namespace ddl::platform {
namespace {

namespace s4u = simgrid::s4u;
using Direction = s4u::LinkInRoute::Direction;

template <class Unit>
double dealt(const std::vector<Unit>& values, std::size_t turn) {
  check(!values.empty(), "a list of speeds or bandwidths has an element");
  return values[turn % values.size()].value;
}

class Generator {
 public:
  Generator(const scenario::GeneratedPlatform& spec, const s4u::Engine& engine)
      : spec_(spec),
        outermost_(simgrid_api::outermost(engine)),
        workers_(static_cast<std::size_t>(spec.workers)),
        nodes_(workers_ + spec.servers) {}

  Nodes build() {
    switch (spec_.topology) {
      case scenario::Topology::star:
        star();
        break;
      case scenario::Topology::mesh:
        mesh();
        break;
      case scenario::Topology::ring:
        ring();
        break;
      case scenario::Topology::two_sites:
        two_sites();
        break;
    }
    return {hosts_, spec_.workers};
  }

 private:
  bool is_server(std::size_t node) const { return node >= workers_; }

  std::string name(std::size_t node) const {
    return is_server(node) ? "ps" + std::to_string(node - workers_) : "w" + std::to_string(node);
  }

  double bandwidth(std::size_t node) const {
    if (is_server(node) && !spec_.server_bandwidth.empty()) return dealt(spec_.server_bandwidth, node - workers_);
    return dealt(spec_.bandwidth, node);
  }

  void add_host(s4u::NetZone* zone, std::size_t node) {
    hosts_.push_back(simgrid_api::add_host(zone, name(node), dealt(spec_.speed, node))->seal());
  }

  static s4u::SplitDuplexLink* duplex(s4u::NetZone* zone, const std::string& name, double bandwidth, double latency_s) {
    s4u::SplitDuplexLink* link = simgrid_api::add_split_duplex(zone, name, bandwidth);
    link->set_latency(latency_s)->seal();
    return link;
  }

  // A host and its link to the central switch. A route consists of two such links, so each has half of the latency.
  void add_host_to_star(s4u::NetZone* zone, std::size_t node) {
    add_host(zone, node);
    const auto* link = duplex(zone, name(node), bandwidth(node), spec_.latency.value / 2);
    simgrid_api::add_route(zone, hosts_.back(), nullptr, {{link, Direction::UP}}, true);
  }

  void star() {
    auto* zone = simgrid_api::add_star(outermost_, "star");
    for (std::size_t node = 0; node < nodes_; ++node) add_host_to_star(zone, node);
    zone->seal();
  }

  void mesh() {
    if (nodes_ > scenario::most_mesh_hosts) {
      throw InputError("$.platform.workers: a mesh of " + std::to_string(nodes_) +
                       " hosts has a link for each ordered pair of them; expected at most " +
                       std::to_string(scenario::most_mesh_hosts) + " hosts, or the topology \"star\"");
    }
    auto* zone = simgrid_api::add_full(outermost_, "mesh");
    for (std::size_t node = 0; node < nodes_; ++node) add_host(zone, node);
    std::size_t pairs = 0, server_pairs = 0;
    for (std::size_t source = 0; source < nodes_; ++source) {
      for (std::size_t target = 0; target < nodes_; ++target) {
        if (source == target) continue;
        const bool of_server = (is_server(source) || is_server(target)) && !spec_.server_bandwidth.empty();
        const double rate = of_server ? dealt(spec_.server_bandwidth, server_pairs++) : dealt(spec_.bandwidth, pairs++);
        auto* link = simgrid_api::add_link(zone, name(source) + "->" + name(target), rate);
        link->set_latency(spec_.latency.value)->seal();
        simgrid_api::add_route(zone, hosts_[source], hosts_[target], {s4u::LinkInRoute(link)}, false);
      }
    }
    zone->seal();
  }

  // Routes are found by Dijkstra's algorithm on demand; tables of all routes would take time cubic in the number of
  // nodes.
  void ring() {
    auto* zone = simgrid_api::add_dijkstra(outermost_, "ring", true);
    for (std::size_t node = 0; node < nodes_; ++node) add_host(zone, node);
    const std::size_t links = nodes_ < 3 ? nodes_ - 1 : nodes_;
    for (std::size_t node = 0; node < links; ++node) {
      const std::size_t next = (node + 1) % nodes_;
      const auto* link = duplex(zone, name(node) + "-" + name(next), bandwidth(node), spec_.latency.value);
      simgrid_api::add_route(zone, hosts_[node], hosts_[next], {{link, Direction::UP}}, true);
    }
    zone->seal();
  }

  void two_sites() {
    auto* both = simgrid_api::add_full(outermost_, "sites");
    std::array<simgrid_api::GatedZone, 2> sites;
    for (std::size_t site = 0; site < 2; ++site) {
      auto* const zone = simgrid_api::add_star(both, "site" + std::to_string(site));
      sites[site] = simgrid_api::add_gate(zone, "gate" + std::to_string(site));
    }
    const std::size_t first_half = (workers_ + 1) / 2;
    for (std::size_t node = 0; node < nodes_; ++node) {
      add_host_to_star(sites[is_server(node) || node < first_half ? 0 : 1].zone, node);
    }
    for (const auto& site : sites) site.zone->seal();
    const auto* between =
        duplex(both, "sites", scenario::site_bandwidth_of(spec_).value, scenario::site_latency_of(spec_).value);
    simgrid_api::add_route(both, sites[0], sites[1], {{between, Direction::UP}}, true);
    both->seal();
  }

  const scenario::GeneratedPlatform& spec_;
  s4u::NetZone* const outermost_;
  const std::size_t workers_, nodes_;
  Hosts hosts_;
};

}  // namespace

Nodes generate(const scenario::GeneratedPlatform& spec, const s4u::Engine& engine) {
  check(spec.workers >= 1 && spec.servers >= 0, "a platform has workers");
  return Generator(spec, engine).build();
}

}  // namespace ddl::platform

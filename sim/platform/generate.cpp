#include "sim/platform/hosts.hpp"
#include "sim/platform/layout.hpp"
#include "sim/platform/simgrid_api.hpp"

namespace ddl::platform {
namespace {

namespace s4u = simgrid::s4u;
using Direction = s4u::LinkInRoute::Direction;

class Generator {
 public:
  Generator(const Layout& layout, const s4u::Engine& engine)
      : layout_(layout), outermost_(simgrid_api::outermost(engine)) {}

  Hosts build() {
    switch (layout_.shape) {
      case Layout::Shape::star:
        star();
        break;
      case Layout::Shape::mesh:
        mesh();
        break;
      case Layout::Shape::ring:
        ring();
        break;
      case Layout::Shape::sites:
        sites();
        break;
    }
    return hosts_;
  }

 private:
  void add_host(s4u::NetZone* zone, const Layout::Host& host) {
    hosts_.push_back(simgrid_api::add_host(zone, host.name, host.speed_flops)->seal());
  }
  void add_hosts(s4u::NetZone* zone) {
    for (const Layout::Host& host : layout_.hosts) add_host(zone, host);
  }

  static s4u::SplitDuplexLink* duplex(s4u::NetZone* zone, const Layout::Link& link) {
    s4u::SplitDuplexLink* made = simgrid_api::add_split_duplex(zone, link.name, link.bandwidth_bytes_per_s);
    made->set_latency(link.latency_s)->seal();
    return made;
  }

  // A host and its link to the central switch.
  void add_host_to_star(s4u::NetZone* zone, const Layout::Link& link) {
    add_host(zone, layout_.hosts[link.source]);
    simgrid_api::add_route(zone, hosts_.back(), nullptr, {{duplex(zone, link), Direction::UP}}, true);
  }

  void star() {
    auto* zone = simgrid_api::add_star(outermost_, "star");
    for (const Layout::Link& link : layout_.links) add_host_to_star(zone, link);
    zone->seal();
  }

  void mesh() {
    auto* zone = simgrid_api::add_full(outermost_, "mesh");
    add_hosts(zone);
    for (const Layout::Link& link : layout_.links) {
      auto* made = simgrid_api::add_link(zone, link.name, link.bandwidth_bytes_per_s);
      made->set_latency(link.latency_s)->seal();
      simgrid_api::add_route(zone, hosts_[link.source], hosts_[link.target], {s4u::LinkInRoute(made)}, false);
    }
    zone->seal();
  }

  // Routes are found by Dijkstra's algorithm on demand; tables of all routes would take time cubic in the number of
  // nodes.
  void ring() {
    auto* zone = simgrid_api::add_dijkstra(outermost_, "ring", true);
    add_hosts(zone);
    for (const Layout::Link& link : layout_.links) {
      simgrid_api::add_route(zone, hosts_[link.source], hosts_[link.target], {{duplex(zone, link), Direction::UP}},
                             true);
    }
    zone->seal();
  }

  void sites() {
    auto* all = simgrid_api::add_full(outermost_, "sites");
    std::vector<simgrid_api::GatedZone> sites;
    for (std::size_t site = 0; site < layout_.ways.size(); ++site) {
      auto* const zone = simgrid_api::add_star(all, "site" + std::to_string(site));
      sites.push_back(simgrid_api::add_gate(zone, "gate" + std::to_string(site)));
    }
    for (const Layout::Link& link : layout_.links) {
      add_host_to_star(sites[layout_.hosts[link.source].site].zone, link);
    }
    for (const auto& site : sites) site.zone->seal();
    std::vector<s4u::SplitDuplexLink*> between;
    for (const Layout::SiteLink& link : layout_.between) {
      between.push_back(duplex(all, {link.name, link.up_bytes_per_s, link.latency_s, 0, 0}));
      between.back()->get_link_down()->set_bandwidth(link.down_bytes_per_s);
    }
    for (std::size_t source = 0; source < sites.size(); ++source) {
      for (std::size_t target = source + 1; target < sites.size(); ++target) {
        simgrid_api::LinksOfRoute links;
        for (const auto& [link, up] : layout_.ways[source][target]) {
          links.emplace_back(between[link], up ? Direction::UP : Direction::DOWN);
        }
        simgrid_api::add_route(all, sites[source], sites[target], links, true);
      }
    }
    all->seal();
  }

  const Layout& layout_;
  s4u::NetZone* const outermost_;
  Hosts hosts_;
};

}  // namespace

Nodes generate(const Layout& layout, const s4u::Engine& engine) {
  Nodes nodes{Generator(layout, engine).build(), layout.workers};
  for (const std::size_t host : layout.servers_on) nodes.hosts.push_back(nodes.hosts[host]);
  for (const Layout::Host& host : layout.hosts) nodes.sites.push_back(static_cast<int>(host.site));
  for (const std::size_t host : layout.servers_on) nodes.sites.push_back(nodes.sites[host]);
  nodes.site_names = layout.names;
  return nodes;
}

}  // namespace ddl::platform

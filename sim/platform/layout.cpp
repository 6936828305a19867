#include "sim/platform/layout.hpp"

#include <map>

#include "core/base/check.hpp"

namespace ddl::platform {
namespace {

template <class Unit>
double dealt(const std::vector<Unit>& values, std::size_t turn) {
  check(!values.empty(), "a list of speeds or bandwidths has an element");
  return values[turn % values.size()].value;
}

class Planner {
 public:
  explicit Planner(const scenario::GeneratedPlatform& spec)
      : spec_(spec), workers_(static_cast<std::size_t>(spec.workers)), nodes_(workers_ + spec.servers) {
    layout_.workers = spec.workers;
    if (spec.servers_on.empty()) return;
    std::map<std::string, std::size_t> by_name;
    for (std::size_t worker = 0; worker < workers_; ++worker) by_name.emplace(name(worker), worker);
    for (const std::string& host : spec.servers_on) {
      const auto found = by_name.find(host);
      check(found != by_name.end(), "servers are on hosts of workers");
      layout_.servers_on.push_back(found->second);
    }
  }

  Layout plan() {
    const bool sites = spec_.topology == scenario::Topology::two_sites;
    const std::size_t first_half = (workers_ + 1) / 2;
    for (std::size_t node = 0; node < nodes_; ++node) {
      const std::size_t site = !sites || is_server(node) || node < first_half ? 0 : 1;
      layout_.hosts.push_back({name(node), dealt(spec_.speed, node), site});
    }
    switch (spec_.topology) {
      case scenario::Topology::star:
        links_to_switches();
        break;
      case scenario::Topology::two_sites:
        two_sites();
        break;
      case scenario::Topology::mesh:
        mesh();
        break;
      case scenario::Topology::ring:
        ring();
        break;
      case scenario::Topology::regions:
        throw InternalError("regions are sites");
    }
    return std::move(layout_);
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

  // A route consists of two such links, so each has half of the latency.
  void links_to_switches() {
    for (std::size_t node = 0; node < nodes_; ++node) {
      layout_.links.push_back({name(node), bandwidth(node), spec_.latency.value / 2, node, node});
    }
  }

  void two_sites() {
    layout_.shape = Layout::Shape::sites;
    links_to_switches();
    const double bytes_per_s = scenario::site_bandwidth_of(spec_).value;
    layout_.between.push_back({"sites", bytes_per_s, bytes_per_s, scenario::site_latency_of(spec_).value});
    layout_.ways = {{{}, {{0, true}}}, {{{0, false}}, {}}};
  }

  void mesh() {
    layout_.shape = Layout::Shape::mesh;
    if (nodes_ > scenario::most_mesh_hosts) {
      throw InputError("$.platform.workers: a mesh of " + std::to_string(nodes_) +
                       " hosts has a link for each ordered pair of them; expected at most " +
                       std::to_string(scenario::most_mesh_hosts) + " hosts, or the topology \"star\"");
    }
    std::size_t pairs = 0, server_pairs = 0;
    for (std::size_t source = 0; source < nodes_; ++source) {
      for (std::size_t target = 0; target < nodes_; ++target) {
        if (source == target) continue;
        const bool of_server = (is_server(source) || is_server(target)) && !spec_.server_bandwidth.empty();
        const double rate = of_server ? dealt(spec_.server_bandwidth, server_pairs++) : dealt(spec_.bandwidth, pairs++);
        layout_.links.push_back({name(source) + "->" + name(target), rate, spec_.latency.value, source, target});
      }
    }
  }

  void ring() {
    layout_.shape = Layout::Shape::ring;
    const std::size_t links = nodes_ < 3 ? nodes_ - 1 : nodes_;
    for (std::size_t node = 0; node < links; ++node) {
      const std::size_t next = (node + 1) % nodes_;
      layout_.links.push_back({name(node) + "-" + name(next), bandwidth(node), spec_.latency.value, node, next});
    }
  }

  const scenario::GeneratedPlatform& spec_;
  const std::size_t workers_, nodes_;
  Layout layout_;
};

Layout layout_of_sites(const scenario::SitesPlatform& spec) {
  Layout layout;
  layout.shape = Layout::Shape::sites;
  layout.workers = spec.workers();
  layout.ways = ways_between(spec);
  const auto add_hosts = [&](int scenario::Site::*count, const char* prefix) {
    int number = 0;
    for (std::size_t at = 0; at < spec.sites.size(); ++at) {
      const scenario::Site& site = spec.sites[at];
      for (int i = 0; i < site.*count; ++i) {
        const std::size_t node = layout.hosts.size();
        layout.hosts.push_back({prefix + std::to_string(number++), dealt(spec.speed, node), at});
        layout.links.push_back({layout.hosts[node].name, site.bandwidth.value, site.latency.value / 2, node, node});
      }
    }
  };
  add_hosts(&scenario::Site::workers, "w");
  add_hosts(&scenario::Site::servers, "ps");
  for (const scenario::SiteLink& link : spec.links) {
    layout.between.push_back({link.name(), link.up.value, link.back().value, link.latency.value});
  }
  for (const scenario::Site& site : spec.sites) layout.names.push_back(site.name);
  return layout;
}

}  // namespace

Layout layout_of(const scenario::PlatformSpec& platform) {
  if (const auto sites = scenario::sites_of(platform)) return layout_of_sites(*sites);
  const auto& spec = std::get<scenario::GeneratedPlatform>(platform.hosts);
  check(spec.workers >= 1 && spec.servers >= 0, "a platform has workers");
  return Planner(spec).plan();
}

}  // namespace ddl::platform

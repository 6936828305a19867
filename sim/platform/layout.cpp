#include "sim/platform/layout.hpp"

#include <string>
#include <utility>

#include "core/base/check.hpp"

namespace ddl::platform {
namespace {

template <class Unit>
double dealt(const std::vector<Unit>& values, std::size_t turn) {
  check(!values.empty(), "a list of speeds or bandwidths has an element");
  return values[turn % values.size()].value;
}

// One function for each topology that places hosts by count.
class Topologies {
 public:
  explicit Topologies(const scenario::GeneratedPlatform& spec)
      : spec_(spec), workers_(static_cast<std::size_t>(spec.workers)), nodes_(workers_ + spec.servers) {
    layout_.workers = spec.workers;
    for (std::size_t node = 0; node < nodes_; ++node) {
      layout_.hosts.push_back({.name = name(node), .speed_flops = dealt(spec.speed, node)});
    }
    for (const std::string& host : spec.servers_on) {
      const std::size_t worker = std::stoul(host.substr(1));
      check(worker < workers_ && host == name(worker), "servers are on hosts of workers");
      layout_.servers_on.push_back(worker);
    }
  }

  Layout take() {
    switch (spec_.topology) {
      case scenario::Topology::star:
        star();
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
      case scenario::Topology::measured:
        throw InternalError("a matrix has sites");
    }
    return std::move(layout_);
  }

 private:
  // A route consists of two hosts' links, so each has half of the latency.
  void star() {
    for (std::size_t node = 0; node < nodes_; ++node) {
      layout_.hosts[node].bandwidth_bytes_per_s = bandwidth(node);
      layout_.hosts[node].latency_s = spec_.latency.value / 2;
    }
    layout_.ways = {{{}}};
  }

  void two_sites() {
    star();
    for (std::size_t worker = (workers_ + 1) / 2; worker < workers_; ++worker) layout_.hosts[worker].site = 1;
    add_link("sites", scenario::site_bandwidth_of(spec_).value, scenario::site_latency_of(spec_).value, 0, 1);
    layout_.ways = {{{}, {{0, true}}}, {{{0, false}}, {}}};
  }

  void mesh() {
    layout_.shape = Layout::Shape::mesh;
    check(nodes_ <= scenario::most_mesh_hosts, "a mesh has a link for each ordered pair of hosts");
    std::size_t pairs = 0, server_pairs = 0;
    for (std::size_t source = 0; source < nodes_; ++source) {
      for (std::size_t target = 0; target < nodes_; ++target) {
        if (source == target) continue;
        const bool of_server = (is_server(source) || is_server(target)) && !spec_.server_bandwidth.empty();
        const double rate = of_server ? dealt(spec_.server_bandwidth, server_pairs++) : dealt(spec_.bandwidth, pairs++);
        add_link(name(source) + "->" + name(target), rate, spec_.latency.value, source, target);
      }
    }
  }

  void ring() {
    layout_.shape = Layout::Shape::ring;
    const std::size_t links = nodes_ < 3 ? nodes_ - 1 : nodes_;
    for (std::size_t node = 0; node < links; ++node) {
      const std::size_t next = (node + 1) % nodes_;
      add_link(name(node) + "-" + name(next), bandwidth(node), spec_.latency.value, node, next);
    }
  }

  bool is_server(std::size_t node) const { return node >= workers_; }

  std::string name(std::size_t node) const {
    return is_server(node) ? "ps" + std::to_string(node - workers_) : "w" + std::to_string(node);
  }

  double bandwidth(std::size_t node) const {
    if (is_server(node) && !spec_.server_bandwidth.empty()) return dealt(spec_.server_bandwidth, node - workers_);
    return dealt(spec_.bandwidth, node);
  }

  void add_link(std::string name, double bytes_per_s, double latency_s, std::size_t source, std::size_t target) {
    layout_.links.push_back({std::move(name), bytes_per_s, bytes_per_s, latency_s, source, target});
  }

  const scenario::GeneratedPlatform& spec_;
  const std::size_t workers_, nodes_;
  Layout layout_;
};

// Links carry `wire` bytes for a byte of their rate.
Layout layout_of_sites(const scenario::SitesPlatform& spec, double wire) {
  Layout layout;
  layout.workers = spec.workers();
  layout.windows = spec.windows;
  layout.ways = ways_between(spec);
  const auto add_hosts = [&](int scenario::Site::*count, const char* prefix) {
    int number = 0;
    for (std::size_t at = 0; at < spec.sites.size(); ++at) {
      const scenario::Site& site = spec.sites[at];
      for (int i = 0; i < site.*count; ++i) {
        layout.hosts.push_back({.name = prefix + std::to_string(number++),
                                .speed_flops = dealt(spec.speed, layout.hosts.size()),
                                .site = at,
                                .bandwidth_bytes_per_s = site.bandwidth.value * wire,
                                .latency_s = site.latency.value / 2});
      }
    }
  };
  add_hosts(&scenario::Site::workers, "w");
  add_hosts(&scenario::Site::servers, "ps");
  for (const scenario::SiteLink& link : spec.links) {
    layout.links.push_back({link.name(), link.up.value * wire, link.back().value * wire, link.latency.value});
  }
  for (const scenario::Site& site : spec.sites) layout.site_names.push_back(site.name);
  return layout;
}

}  // namespace

Layout layout_of(const scenario::PlatformSpec& platform) {
  // Measured rates are of data; in TCP and packets links carry headers as well.
  constexpr double frame_of_data = 1514.0 / 1448;
  const bool measured = std::holds_alternative<scenario::MeasuredPlatform>(platform.hosts);
  const double wire = measured && platform.network.model != scenario::NetworkModel::CM02 ? frame_of_data : 1;
  if (const auto sites = scenario::sites_of(platform)) return layout_of_sites(*sites, wire);
  const auto& spec = std::get<scenario::GeneratedPlatform>(platform.hosts);
  check(spec.workers >= 1 && spec.servers >= 0, "a platform has workers");
  return Topologies(spec).take();
}

}  // namespace ddl::platform

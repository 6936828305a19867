#include "sim/platform/layout.hpp"

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
      : spec_(spec), workers_(static_cast<std::size_t>(spec.workers)), nodes_(workers_ + spec.servers) {}

  Layout plan() {
    const bool sites = spec_.topology == scenario::Topology::two_sites;
    const std::size_t first_half = (workers_ + 1) / 2;
    for (std::size_t node = 0; node < nodes_; ++node) {
      const std::size_t site = !sites || is_server(node) || node < first_half ? 0 : 1;
      layout_.hosts.push_back({name(node), dealt(spec_.speed, node), site});
    }
    switch (spec_.topology) {
      case scenario::Topology::star:
      case scenario::Topology::two_sites:
        links_to_switches();
        break;
      case scenario::Topology::mesh:
        mesh();
        break;
      case scenario::Topology::ring:
        ring();
        break;
    }
    if (sites) {
      layout_.between_sites = {"sites", scenario::site_bandwidth_of(spec_).value,
                               scenario::site_latency_of(spec_).value, 0, 0};
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

  void mesh() {
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

}  // namespace

Layout layout_of(const scenario::GeneratedPlatform& spec) {
  check(spec.workers >= 1 && spec.servers >= 0, "a platform has workers");
  return Planner(spec).plan();
}

}  // namespace ddl::platform

#include "lab/emulate/testbed/star.hpp"

#include <set>

#include "core/base/check.hpp"
#include "core/base/counted.hpp"

namespace ddl::emulate {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw InputError("$.platform: " + what + "; expected a star for emulate: one full-duplex link per host to a switch");
}

}  // namespace

Star star_of(const platform::Fabric& fabric) {
  const int nodes = fabric.node_count();
  if (nodes < 2) refuse("has a single host, which has no other to send to");
  if (nodes > most_emulated_hosts) {
    refuse("has " + std::to_string(nodes) + " hosts, more than the " + std::to_string(most_emulated_hosts) +
           " that can be emulated");
  }
  Star star;
  star.hosts.resize(static_cast<std::size_t>(nodes));
  star.latency_s.resize(star.hosts.size(), std::vector<double>(star.hosts.size()));
  std::vector<int> up(star.hosts.size(), -1), down(star.hosts.size(), -1);
  for (int source = 0; source < nodes; ++source) {
    for (int target = 0; target < nodes; ++target) {
      if (source == target) continue;
      const platform::Route& route = fabric.route(source, target);
      const auto from = static_cast<std::size_t>(source), to = static_cast<std::size_t>(target);
      const std::string way = "the way from " + fabric.name(source) + " to " + fabric.name(target);
      if (route.links.size() != 2) {
        refuse(way + " is not over one link of each host's own, but over " + counted(route.links.size(), "link"));
      }
      const auto own = [&](int& known, int link, const char* direction) {
        if (known < 0) known = link;
        const platform::LinkInfo& info = fabric.links()[static_cast<std::size_t>(link)];
        // A file may write the two directions as plain links, one for each.
        const bool fits = info.direction == direction || info.direction == "both";
        if (known != link || !fits) refuse(way + " is not over links of their own");
      };
      own(up[from], route.links[0], "up");
      own(down[to], route.links[1], "down");
      star.latency_s[from][to] = route.latency_s;
    }
  }
  std::set<int> links;
  for (std::size_t node = 0; node < star.hosts.size(); ++node) {
    const auto info = [&](int link) -> const platform::LinkInfo& {
      return fabric.links()[static_cast<std::size_t>(link)];
    };
    const std::string name = fabric.name(static_cast<int>(node));
    const platform::LinkInfo &sends = info(up[node]), &receives = info(down[node]);
    star.hosts[node] = {name,
                        up[node],
                        down[node],
                        sends.bandwidth_bytes_per_s,
                        receives.bandwidth_bytes_per_s,
                        sends.latency_s,
                        receives.latency_s};
    if (!links.insert(up[node]).second || !links.insert(down[node]).second) refuse(name + " shares its link");
  }
  return star;
}

}  // namespace ddl::emulate

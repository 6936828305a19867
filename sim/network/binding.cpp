#include "sim/network/binding.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/check.hpp"
#include "sim/network/packets/segment.hpp"
#include "sim/network/sharing.hpp"

namespace ddl::network {
namespace {

// Share of a link's rate that is data.
double data_share(const platform::Fabric& fabric) {
  if (fabric.network_plan().carried_by != platform::CarriedBy::packets)
    return fabric.network_numbers().bandwidth_factor;
  return packets::segment_bytes / packets::frame_of_segment_bytes;
}

SiteConnection connection_of(const platform::Fabric& fabric, int source, int target, double message_bytes) {
  const platform::Route there = fabric.find_route(source, target);
  double rates[3];  // by binding
  std::ranges::fill(rates, std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < there.links.size(); ++i) {
    const bool is_host = there.links.size() > 1 && (i == 0 || i + 1 == there.links.size());
    double& rate = rates[static_cast<std::size_t>(is_host ? Binding::host : Binding::route)];
    const platform::LinkInfo& link = fabric.links()[static_cast<std::size_t>(there.links[i])];
    rate = std::min(rate, link.bandwidth_bytes_per_s * data_share(fabric));
  }
  const double windows = fabric.network_numbers().connections * there.window_bytes;
  if (message_bytes > windows) rates[0] = most_by_windows(fabric, there, {source, target});
  const double* least = std::ranges::min_element(rates);
  SiteConnection found{.binding = static_cast<Binding>(least - rates),
                       .window_bytes = there.window_bytes,
                       .bytes_per_s = *least,
                       .message_s = there.latency_s + message_bytes / *least};
  if (there.latency_s > message_bytes / *least) found.binding = Binding::latency;
  return found;
}

}  // namespace

std::vector<SiteConnection> connections_between_sites(const platform::Fabric& fabric, double message_bytes) {
  const std::vector<std::string>& names = fabric.site_names();
  std::vector<std::optional<int>> first(names.size());
  for (int node = fabric.node_count() - 1; node >= 0 && !names.empty(); --node) {
    first[static_cast<std::size_t>(fabric.site(node))] = node;
  }
  std::vector<SiteConnection> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (i == j || !first[i] || !first[j]) continue;
      try {
        found.push_back(connection_of(fabric, *first[i], *first[j], message_bytes));
      } catch (const InputError&) {
        continue;  // no route
      }
      found.back().from = names[i];
      found.back().to = names[j];
    }
  }
  return found;
}

}  // namespace ddl::network

#include "sim/network/sharing.hpp"

#include <algorithm>
#include <limits>

namespace ddl::network {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

double penalty_of(const platform::Fabric& fabric, const platform::Route& route) {
  double penalty = route.latency_s;
  for (const int link : route.links) {
    penalty += fabric.network_numbers().weight_bytes / fabric.weighing_bandwidth_bytes_per_s(link);
  }
  return penalty;
}

void use(const platform::Fabric& fabric, const platform::Route& way, flows::FlowShape& shape) {
  for (const int link : way.links) {
    const platform::LinkInfo& info = fabric.links()[static_cast<std::size_t>(link)];
    if (info.direction == "free") {
      shape.bound = std::min(shape.bound, info.bandwidth_bytes_per_s);
      continue;
    }
    const auto known = std::ranges::find(shape.uses, link, &flows::Use::link);
    if (known == shape.uses.end()) {
      shape.uses.push_back({link, 1});
    } else {
      known->use += 1;
    }
  }
}

}  // namespace

std::vector<double> capacities(const platform::Fabric& fabric) {
  std::vector<double> result;
  for (std::size_t i = 0; i < fabric.links().size(); ++i) {
    result.push_back(fabric.bandwidth_bytes_per_s(static_cast<int>(i)));
  }
  return result;
}

flows::FlowShape flow_shape(const platform::Fabric& fabric, const platform::Route& route,
                            std::optional<double> first_byte_s) {
  const platform::NetworkNumbers& numbers = fabric.network_numbers();
  const double latency_s = fabric.latency_now_s(route);
  flows::FlowShape shape;
  shape.latency_s = first_byte_s.value_or(latency_s * numbers.latency_factor);
  shape.efficiency = numbers.bandwidth_factor;
  // Without latency SimGrid gives all flows the same claim, whatever their links.
  if (latency_s > 0 || shape.latency_s > 0) shape.penalty = penalty_of(fabric, route);
  if (latency_s > 0 && !numbers.follows_connections)
    shape.bound = numbers.connections * route.window_bytes / (2 * latency_s);
  use(fabric, route, shape);
  return shape;
}

double most_by_free_links(const platform::Fabric& fabric, const platform::Route& route) {
  double most = never;
  for (const int link : route.links) {
    const platform::LinkInfo& info = fabric.links()[static_cast<std::size_t>(link)];
    if (info.direction == "free") most = std::min(most, info.bandwidth_bytes_per_s);
  }
  return most;
}

double most_by_windows(const platform::Fabric& fabric, const platform::Route& route, const Pair& pair) {
  if (route.within_host()) return never;
  const double there_s = fabric.least_latency_s(route);
  const double back_s =
      fabric.needs_way_back() ? fabric.least_latency_s(fabric.find_route(pair.target, pair.source)) : there_s;
  const double windows = fabric.network_numbers().connections * route.window_bytes;
  return there_s + back_s > 0 ? windows / (there_s + back_s) : never;
}

}  // namespace ddl::network

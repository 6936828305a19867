// SimGrid's network model in numbers: for the accelerator, and for bounds.
#pragma once

#include <optional>
#include <vector>

#include "sim/network/flows/flows.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

// A message's bytes and its way.
struct Transfer {
  const platform::Route* route = nullptr;
  double bytes = 0;
};

// The fabric in the terms of Flows: capacities of links, and the shape of a transfer over a route, whose first byte
// arrives after `first_byte_s` seconds; none: by the model, from the route's latency now. In the model TCP each message
// has its own such time, and its own bound.
std::vector<double> capacities(const platform::Fabric& fabric);
flows::FlowShape flow_shape(const platform::Fabric& fabric, const platform::Route& route,
                            std::optional<double> first_byte_s = std::nullopt);

// Upper bound of a message's rate by links that give every flow all of their bandwidth. Infinite if the route has no
// such link.
double most_by_free_links(const platform::Fabric& fabric, const platform::Route& route);

// Seconds before the first byte, by the platform's latency factor. Here and below, links that change count at their
// best.
double latency_s(const platform::Fabric& fabric, const platform::Route& route);

// Seconds of one transfer that has its whole route to itself.
double alone_s(const platform::Fabric& fabric, const Transfer& transfer);

// Seconds until the first of `transfers` is through when all start at the same time. Until then, max-min fair sharing
// holds, with claims inverse to the route's latency (and its slow links, if a platform file says so). If the latencies
// differ, the transfers do not start on the links together, and the result is the least time that one of them takes
// alone; the same if links change or are shared unevenly, or windows decide latencies (the model TCP).
double first_finished_s(const platform::Fabric& fabric, const std::vector<Transfer>& transfers);

}  // namespace ddl::network

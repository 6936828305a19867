// SimGrid's network model in numbers: for the accelerator.
#pragma once

#include <optional>
#include <vector>

#include "sim/network/flows/flows.hpp"
#include "sim/network/pair.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

// The fabric in the terms of Flows: capacities of links, and the shape of a transfer over a route, whose first byte
// arrives after `first_byte_s` seconds; none: by the model, from the route's latency now. In the model TCP each message
// has its own such time, and its own bound.
std::vector<double> capacities(const platform::Fabric& fabric);
flows::FlowShape flow_shape(const platform::Fabric& fabric, const platform::Route& route,
                            std::optional<double> first_byte_s = std::nullopt);

// Upper bound of a message's rate by links that give every flow all of their bandwidth. Infinite if the route has no
// such link.
double most_by_free_links(const platform::Fabric& fabric, const platform::Route& route);

// Bytes per second that the windows of a pair's connections let through in the long run, at its least round trip.
// Infinite without windows, or without latency.
double most_by_windows(const platform::Fabric& fabric, const platform::Route& route, const Pair& pair);

}  // namespace ddl::network

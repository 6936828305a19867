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

// In the words of Flows: what the links have, and what a transfer over a route asks of them, whose first byte is there
// after `first_byte_s` seconds; none: what the model makes of the route's latency now. In the model TCP, each
// message has such a time, and a bound, of its own.
std::vector<double> capacities(const platform::Fabric& fabric);
flows::FlowShape flow_shape(const platform::Fabric& fabric, const platform::Route& route,
                            std::optional<double> first_byte_s = std::nullopt);

// The most that links which give every flow all of their bandwidth leave of a message's rate. Infinite where there is
// no such link on its way.
double most_by_free_links(const platform::Fabric& fabric, const platform::Route& route);

// Seconds before the first byte, by the platform's latency factor. Here and below links that change are taken at their
// best.
double latency_s(const platform::Fabric& fabric, const platform::Route& route);

// Seconds of one transfer that has its whole route to itself.
double alone_s(const platform::Fabric& fabric, const Transfer& transfer);

// Seconds until the first of `transfers` is through when all start at the same time: max-min fair sharing, in which a
// flow's claim is the inverse of its route's latency (and of its slow links, where a platform file says so), holds
// until then. When the latencies differ they do not start on the links together, and the least time any of them takes
// alone is returned; the same when links change or are shared unevenly, or windows decide latencies (the model TCP).
double first_finished_s(const platform::Fabric& fabric, const std::vector<Transfer>& transfers);

}  // namespace ddl::network

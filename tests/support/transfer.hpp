// Plain messages on a fabric, to hold SimGrid against hand calculations.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "sim/network/flows/flows.hpp"
#include "sim/network/sharing.hpp"
#include "sim/platform/fabric.hpp"
#include "sim/platform/simgrid_api.hpp"

namespace ddl {

struct Sent {
  int source = 0, target = 0;
  double bytes = 0;
  double start_s = 0;
};

// When each message arrived, all sent in one simulation.
inline std::vector<double> arrivals(platform::Fabric& fabric, const std::vector<Sent>& messages) {
  std::vector<double> times(messages.size());
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Sent& sent = messages[i];
    auto* const source = fabric.host(sent.source);
    auto* const target = fabric.host(sent.target);
    simgrid_api::add_actor("sender", source, [&times, &sent, source, target, i] {
      if (sent.start_s > 0) simgrid::s4u::this_actor::sleep_for(sent.start_s);
      simgrid::s4u::Comm::sendto(source, target, static_cast<std::uint64_t>(sent.bytes));
      times[i] = simgrid::s4u::Engine::get_clock();
    });
  }
  fabric.engine().run();
  return times;
}

// The same, by our own sharing of links.
inline std::vector<double> own_arrivals(const platform::Fabric& fabric, const std::vector<Sent>& messages) {
  std::vector<double> times(messages.size());
  std::vector<std::size_t> order(messages.size()), of_transfer(messages.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return messages[i].start_s; });
  network::flows::Flows flows(network::capacities(fabric));
  std::size_t started = 0;
  while (true) {
    const double start_s = started < order.size() ? messages[order[started]].start_s : network::flows::MaxMin::never;
    const double now_s = std::min(start_s, flows.next_s());
    if (!(now_s < network::flows::MaxMin::never)) return times;
    for (const int transfer : flows.advance(now_s)) times[of_transfer[static_cast<std::size_t>(transfer)]] = now_s;
    for (; started < order.size() && messages[order[started]].start_s <= now_s; ++started) {
      const Sent& sent = messages[order[started]];
      const int transfer =
          flows.start(now_s, network::flow_shape(fabric, fabric.route(sent.source, sent.target)), sent.bytes);
      of_transfer[static_cast<std::size_t>(transfer)] = order[started];
    }
  }
}

}  // namespace ddl

// Plain messages on a fabric, to hold SimGrid against hand calculations.
#pragma once

#include <cstdint>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "sim/platform/fabric.hpp"
#include "sim/platform/simgrid_api.hpp"

namespace ddl {

struct Sent {
  int source = 0, target = 0;
  double bytes = 0;
  double start_s = 0;
  double first_bytes = 0;  // its first slice; 0: it is delivered whole
  int follows = -1;        // the message that it sends on
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

}  // namespace ddl

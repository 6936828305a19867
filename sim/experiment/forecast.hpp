// What can be said of a run without running it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/graph/mixing.hpp"
#include "sim/network/bounds.hpp"
#include "sim/platform/network_plan.hpp"
#include "sim/scenario/scenario.hpp"

namespace ddl::experiment {

struct Forecast {
  network::Bounds bounds;
  platform::NetworkPlan network;
  std::optional<graph::Consensus> consensus;  // of systems that average models
  // What of the platform does nothing, a line each: of its file, and of its hosts.
  std::vector<std::string> platform_notes, host_notes;
  double cost_s = 0;            // what it may take one core of a usual machine, within a factor of a few
  double evaluation_s = 0;      // of it
  double messages_s = 0;        // of it
  double messages_reached = 0;  // whose shares one that starts or ends moves, at most; 0: packets travel
};

// Builds the platform and reads the data, in this process, which can do so once. Throws InputError.
Forecast forecast_here(const scenario::Scenario& scenario);

// The same as bytes, to be handed over by a child.
std::string forecast_as_bytes(const scenario::Scenario& scenario);
Forecast forecast_of(const std::string& bytes);

}  // namespace ddl::experiment

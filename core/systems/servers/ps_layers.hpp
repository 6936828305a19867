// Parameter servers that exchange layer by layer, beside the passes through the layers.
#pragma once

#include <memory>

#include "core/base/fields.hpp"
#include "core/node/node.hpp"
#include "core/node/program.hpp"
#include "core/node/traffic.hpp"
#include "core/systems/servers/ps_async.hpp"

namespace ddl::systems {

struct PsLayers {
  bool synchronous = false;      // a layer's step waits for all workers
  bool staleness_aware = false;  // otherwise: see PsAsyncParams
};

// Of a worker or a server.
std::unique_ptr<Program> ps_by_layers(Node& node, const PsParams& params, PsLayers how);
Traffic traffic_by_layers(const Cluster& cluster, const PsParams& params);

}  // namespace ddl::systems

// Parameter servers that exchange layer by layer, beside the passes through the layers.
#pragma once

#include <memory>
#include <optional>

#include "core/codec/codec_params.hpp"
#include "core/node/node.hpp"
#include "core/node/program.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

struct PsLayers {
  bool synchronous = false;                           // a layer's step waits for all workers
  bool staleness_aware = false;                       // if asynchronous: see PsAsyncParams
  std::optional<int> staleness_bound = std::nullopt;  // if asynchronous: see PsSspParams; none: without bound
};

// A worker or a server; a server spends `update_s` on a gradient. Throws InputError if there are no layers.
std::unique_ptr<Program> ps_by_layers(Node& node, const codec::CodecParams& codec, double update_s, PsLayers how);
Traffic traffic_by_layers(const Cluster& cluster, const codec::CodecParams& codec);

}  // namespace ddl::systems

// Number of flows that a transfer counts as where links are full: each of its connections one or, in the model TCP,
// several (sim/scenario/scenario.hpp).
#pragma once

#include <cmath>
#include <string>

#include "core/base/rng.hpp"
#include "sim/network/pair.hpp"
#include "sim/network/sharing.hpp"
#include "sim/network/transmission.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

class UnevenShares {
 public:
  UnevenShares(const platform::Fabric& fabric, std::uint64_t seed) : fabric_(fabric), seed_(seed) {}

  // Asked once for each transfer. Each ordered pair of nodes draws from a stream of its own.
  int flows(const Transmission& transmission) {
    const int most = fabric_.network_numbers().most_flows, connections = fabric_.network_numbers().connections;
    if (most == 1 && connections == 1) return 1;
    const auto [source, target] = transmission.pair;
    Stream* random = streams_.find(transmission.pair);
    if (random == nullptr) {
      const std::string pair = fabric_.name(source) + " to " + fabric_.name(target);
      random = &streams_.get(transmission.pair, stream(seed_, pair, "uneven shares"));
    }
    int drawn = connections;
    for (int i = 0; i < connections; ++i) drawn += static_cast<int>(random->below(static_cast<std::uint64_t>(most)));
    return fabric_.any_free_link() && would_each_have_all(transmission.route) ? 1 : drawn;
  }

 private:
  // True if a fat pipe would give each flow its whole bandwidth: SimGrid can hold back the flows of a message only over
  // a route with latency.
  bool would_each_have_all(const platform::Route& route) const {
    return !(fabric_.latency_now_s(route) > 0) && std::isfinite(most_by_free_links(fabric_, route));
  }

  const platform::Fabric& fabric_;
  const std::uint64_t seed_;
  ByPair<Stream> streams_;
};

}  // namespace ddl::network

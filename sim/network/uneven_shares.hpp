// As how many flows a transfer counts where links are full: LinkSharing in sim/scenario/scenario.hpp.
#pragma once

#include <map>
#include <utility>

#include "core/base/rng.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

class UnevenShares {
 public:
  UnevenShares(const platform::Fabric& fabric, std::uint64_t seed) : fabric_(fabric), seed_(seed) {}

  // Asked once for each transfer. Each ordered pair of nodes draws from a stream of its own.
  int flows(int source, int target) {
    const int most = fabric_.network_numbers().most_flows;
    if (most == 1) return 1;
    auto found = streams_.find({source, target});
    if (found == streams_.end()) {
      const std::string pair = fabric_.name(source) + " to " + fabric_.name(target);
      found = streams_.emplace(std::pair{source, target}, stream(seed_, pair, "uneven shares")).first;
    }
    return 1 + static_cast<int>(found->second.below(static_cast<std::uint64_t>(most)));
  }

 private:
  const platform::Fabric& fabric_;
  const std::uint64_t seed_;
  std::map<std::pair<int, int>, Stream> streams_;
};

}  // namespace ddl::network

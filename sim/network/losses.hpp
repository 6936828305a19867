// Which transmissions are lost.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/rng.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

class Losses {
 public:
  Losses(platform::Fabric& fabric, std::uint64_t seed) : fabric_(fabric), seed_(seed) {}

  // Asked once when a transmission comes to its end: after how many seconds it is to be sent again, or nothing if it
  // has arrived. Each pair of nodes draws from streams of its own, one per rule.
  std::optional<double> retry_after_s(int source, int target, double now_s);

 private:
  struct Draw {
    const platform::LossRule* rule;
    Stream random;
  };
  std::vector<Draw> draws_of(int source, int target) const;

  platform::Fabric& fabric_;
  const std::uint64_t seed_;
  std::map<std::pair<int, int>, std::vector<Draw>> draws_;
};

}  // namespace ddl::network

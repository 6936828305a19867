// Random losses of transmissions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/rng.hpp"
#include "sim/network/pair.hpp"
#include "sim/network/transmission.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

class Losses {
 public:
  Losses(platform::Fabric& fabric, std::uint64_t seed) : fabric_(fabric), seed_(seed) {}

  // Call it once when a transmission ends: seconds until it is sent again, or nothing if it has arrived. Each pair of
  // nodes draws from streams of its own, one per rule.
  std::optional<double> retry_after_s(const Transmission& transmission, double now_s);

 private:
  struct Draw {
    const platform::LossRule* rule;
    Stream random;
  };
  std::vector<Draw> draws_of(const Transmission& transmission) const;

  platform::Fabric& fabric_;
  const std::uint64_t seed_;
  ByPair<std::vector<Draw>> draws_;
};

}  // namespace ddl::network

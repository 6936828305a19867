// A message on the wire, as its transport knows it.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "sim/network/pair.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::network {

struct Transmission {
  Pair pair{};
  platform::Route route{};  // from source to target
  platform::Route back{};   // the way of its acknowledgements (Fabric::needs_way_back)
  double bytes = 0;         // with the header; 0 within a host
  int flows = 1;            // flows that it counts as where links are full
  // Seconds until its first byte is there; none: the route's latency decides. Then the most that its window lets
  // through. Both are set by the model TCP alone.
  std::optional<double> latency_s{};
  double most_bytes_per_s = std::numeric_limits<double>::infinity();
  int transfer = -1;  // the transport's own name for it, while it carries it

  // A message that counts as several flows is carried as equal transfers of whole bytes, because SimGrid knows no
  // others.
  double flow_bytes() const { return std::ceil(bytes / flows); }
};

}  // namespace ddl::network

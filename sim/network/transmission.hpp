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
  // A message in slices is carried in two parts, its first slice and the rest: bytes before and after the present one.
  double done_bytes = 0, rest_bytes = 0;
  int flows = 1;  // flows that it counts as where links are full
  // Seconds until its first byte is there; none: the route's latency decides. Then the most that its window lets
  // through. Both are set by the model TCP, and the first for slices, which may have left already.
  std::optional<double> latency_s{};
  double most_bytes_per_s = std::numeric_limits<double>::infinity();
  int transfer = -1;  // the transport's own name for it, while it carries it

  double part_bytes() const { return bytes - done_bytes - rest_bytes; }
  // A message that counts as several flows is carried as equal transfers of whole bytes, because SimGrid knows no
  // others.
  double flow_bytes() const { return std::ceil(part_bytes() / flows); }
};

}  // namespace ddl::network

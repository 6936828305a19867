// The network of an emulation: every host a namespace of its own, joined by a bridge that stands in another, with the
// star's bandwidths as limits. The machine's own network is neither used nor touched.
//
// Limits are token buckets (tc tbf) at both ends of each host's virtual cable: its own end limits what it sends, the
// bridge's what it receives. They count Ethernet frames (14 bytes of Ethernet, 20 of IP, 32 of TCP with time stamps and
// 1,448 of data), so TCP carries at most 95.6 % of the nominal bandwidth, as on a real link. A bucket holds a
// millisecond's worth (at least two frames); behind it waits at most `queue_s` worth of frames, then frames are
// dropped, as by a router.
#pragma once

#include <string>
#include <vector>

#include "sim/emulate/name_space.hpp"
#include "sim/emulate/star.hpp"

namespace ddl {

class Stage {
 public:
  // Throws InputError: no root, no iproute2, no namespaces.
  Stage(const Star& star, double queue_s);

  const NameSpace& host(int node) const { return hosts_[static_cast<std::size_t>(node)]; }
  std::string address(int node) const;  // within the stage

 private:
  NameSpace bridge_;
  std::vector<NameSpace> hosts_;
};

}  // namespace ddl

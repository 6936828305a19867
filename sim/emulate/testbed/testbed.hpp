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

#include "sim/emulate/testbed/network_namespace.hpp"
#include "sim/emulate/testbed/star.hpp"

namespace ddl::emulate {

class Testbed {
 public:
  // Throws InputError: no root, no iproute2, no namespaces.
  Testbed(const Star& star, double queue_s);

  const NetworkNamespace& host(int node) const { return hosts_[static_cast<std::size_t>(node)]; }
  std::string address(int node) const;  // within the stage
  // Of the TCP segments that all hosts have sent, the share that were sent again.
  double retransmitted_share() const;

 private:
  NetworkNamespace bridge_;
  std::vector<NetworkNamespace> hosts_;
};

}  // namespace ddl::emulate

// The TCP channels between all nodes of a run.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "lab/emulate/tcp_channel.hpp"
#include "lab/emulate/testbed/connections.hpp"
#include "lab/emulate/testbed/star.hpp"
#include "sim/network/totals.hpp"
#include "sim/platform/fabric.hpp"

namespace ddl::emulate {

class NodeSet;

class Channels {
 public:
  Channels(const platform::Fabric& fabric, const Star& star) : fabric_(fabric), star_(star) {}

  // Once, with all nodes' monitors held. Connections of nodes that a system does without are closed. Unless the network
  // has latencies, readers wait for them.
  void open(std::vector<Connection> connections, NodeSet& nodes, std::uint64_t header_bytes,
            bool network_has_latencies);
  TcpChannel& between(int source, int target);
  bool is_idle() const { return under_way_ == 0; }  // nothing queued or on the wire
  void stop();

  double bytes_sent(NodeSet& nodes) const;  // takes the sources' monitors
  // Right while nothing moves, such as after stop().
  network::Totals totals() const;

 private:
  const platform::Fabric& fabric_;
  const Star& star_;
  std::size_t nodes_ = 0;
  std::atomic<std::int64_t> under_way_ = 0;
  std::vector<std::unique_ptr<TcpChannel>> channels_;  // by source, then target
};

}  // namespace ddl::emulate

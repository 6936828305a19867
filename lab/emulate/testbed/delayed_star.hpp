// Hosts whose links meet in one switch: each packet crosses its source's link up and its target's link down. Like the
// lines it consists of, it knows no clock.
#pragma once

#include <optional>
#include <vector>

#include "lab/emulate/testbed/packet.hpp"

namespace ddl::emulate {

class DelayedStar {
 public:
  struct Host {
    DelayLine up, down;
  };
  struct Arrival {
    Packet packet;
    double due_s = 0;
  };

  explicit DelayedStar(std::vector<Host> hosts) : hosts_(std::move(hosts)) {}

  int size() const { return static_cast<int>(hosts_.size()); }
  Host& host(int node) { return hosts_[static_cast<std::size_t>(node)]; }

  void send(double now_s, int source, Packet packet) { host(source).up.offer(now_s, std::move(packet)); }
  double next_s() const;
  // Lets the next thing happen; the packet, if it reaches its target then. Before anything else at that time, or later.
  std::optional<Arrival> step();
  DelayLine::Counts counts() const;  // over all lines; `taken` by links up

 private:
  std::vector<Host> hosts_;
};

}  // namespace ddl::emulate

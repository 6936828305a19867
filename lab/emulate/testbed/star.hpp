// Networks that an emulation can build: hosts whose links meet in one switch that never limits anything.
#pragma once

#include <string>
#include <vector>

#include "sim/platform/fabric.hpp"

namespace ddl::emulate {

struct StarHost {
  std::string name;
  int up = 0, down = 0;                             // indices into Fabric::links()
  double up_bytes_per_s = 0, down_bytes_per_s = 0;  // nominal
  double up_latency_s = 0, down_latency_s = 0;      // nominal, one way
};

struct Star {
  std::vector<StarHost> hosts;                 // by node: workers first, then servers
  std::vector<std::vector<double>> latency_s;  // one way, by source, then target
};

constexpr int most_emulated_hosts = 32;  // two threads and two sockets for each ordered pair

// Throws InputError unless every way between two nodes is the first one's own link up and the other's own link down.
Star star_of(const platform::Fabric& fabric);

}  // namespace ddl::emulate

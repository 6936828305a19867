// A generated network as plain data: what generate() makes in SimGrid, and what platform_xml() writes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace ddl::platform {

struct Layout {
  struct Host {
    std::string name;
    double speed_flops = 0;
    std::size_t site = 0;
  };
  struct Link {
    std::string name;
    double bandwidth_bytes_per_s = 0;
    double latency_s = 0;
    std::size_t source = 0, target = 0;  // hosts
  };
  std::vector<Host> hosts;  // workers, then servers
  // star, two_sites: of each host, to its switch (`target` has no meaning); ring: to the next host; all full-duplex.
  // mesh: one way, per ordered pair.
  std::vector<Link> links;
  std::optional<Link> between_sites;  // full-duplex
};

// Throws InputError when it would be too large.
Layout layout_of(const scenario::GeneratedPlatform& spec);

// As a platform file, from which SimGrid makes the same hosts, links and routes.
std::string platform_xml(const scenario::GeneratedPlatform& spec);

}  // namespace ddl::platform

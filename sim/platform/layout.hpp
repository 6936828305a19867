// A generated network as plain data: what generate() makes in SimGrid, and what platform_xml() writes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace ddl::platform {

struct Layout {
  enum class Shape { star, mesh, ring, sites };
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
  // Full-duplex.
  struct SiteLink {
    std::string name;
    double up_bytes_per_s = 0, down_bytes_per_s = 0;
    double latency_s = 0;
  };
  Shape shape = Shape::star;
  int workers = 0;
  std::vector<Host> hosts;                   // workers, then servers
  std::vector<std::size_t> servers_on = {};  // hosts of workers that have a server, too, after those
  // star, sites: of each host, to its switch (`target` has no meaning); ring: to the next host; all full-duplex.
  // mesh: one way, per ordered pair.
  std::vector<Link> links;
  // Of sites.
  std::vector<SiteLink> between;
  std::vector<std::vector<scenario::Way>> ways;  // by source, then target: over which of these
  std::vector<std::string> names;                // as the user has named them; empty: two_sites
};

// Of a platform that is not a file's. Throws InputError when it would be too large.
Layout layout_of(const scenario::PlatformSpec& platform);

// As a platform file, from which SimGrid makes the same hosts, links and routes.
std::string platform_xml(const scenario::PlatformSpec& platform);

}  // namespace ddl::platform

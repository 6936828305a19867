// A platform that is no file's as sites and links, whichever topology spells it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace ddl::platform {

struct Layout {
  // sites: hosts around their site's router, and links between routers; a star is one site. mesh, ring: links between
  // hosts, of one way in a mesh.
  enum class Shape { sites, mesh, ring };
  struct Host {
    std::string name;
    double speed_flops = 0;
    std::size_t site = 0;
    // The full-duplex link to its router, which has its name; sites only.
    double bandwidth_bytes_per_s = 0, latency_s = 0;
  };
  struct Link {
    std::string name;
    double up_bytes_per_s = 0, down_bytes_per_s = 0;  // from source to target, and back
    double latency_s = 0;
    std::size_t source = 0, target = 0;  // hosts; sites have `ways`
  };
  Shape shape = Shape::sites;
  int workers = 0;
  std::vector<Host> hosts;                       // workers, then servers
  std::vector<std::size_t> servers_on = {};      // hosts of workers that have a server, too, after those
  std::vector<Link> links;                       // between hosts, or sites
  std::vector<std::vector<scenario::Way>> ways;  // by source, then target: the links between two sites
  std::vector<std::string> site_names;           // as the user has named them; empty: star, two_sites
  std::vector<std::vector<double>> windows;      // see SitesPlatform
};

Layout layout_of(const scenario::PlatformSpec& platform);

// The layout as a platform file.
std::string platform_xml(const Layout& layout);

}  // namespace ddl::platform

// A platform in SimGrid, loaded from a file or from the text of a layout. Inside sim/platform only.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/platform/layout.hpp"
#include "sim/platform/platform_text.hpp"
#include "sim/scenario/scenario.hpp"

namespace simgrid::s4u {
class Engine;
class Host;
class Link;
}  // namespace simgrid::s4u

namespace ddl::platform {

using Hosts = std::vector<simgrid::s4u::Host*>;

struct Nodes {
  Hosts hosts;  // workers first, then servers, whose host may be a worker's
  int workers = 0;
  std::vector<int> sites = {};                    // each host's, from 0
  std::vector<std::string> site_names = {};       // by these numbers; empty: the platform does not name them
  std::vector<std::vector<double>> windows = {};  // see SitesPlatform
};

// The first node on each host of a site. Throws InputError, with `place`: there is no such site.
std::vector<int> nodes_at(const std::string& site, const Nodes& nodes, const std::string& place);

// By node; of two nodes on one host the second is a server.
struct HostsOfNodes {
  std::vector<std::string> names;
  std::vector<int> first;    // node on the host
  std::vector<char> shared;  // by two nodes
};

Nodes load(const Layout& layout, simgrid::s4u::Engine& engine);

// Loads a platform file in a child process, so that this engine stays unchanged, and scales its links. Throws
// InputError naming the file if anything is wrong with it, the names, or the routes between the nodes; but there may be
// none between some of them.
void probe_platform(const scenario::PlatformSpec& spec, const FileText& file, simgrid::s4u::Engine& engine);

// Loads a file that has been probed, and picks the nodes by name.
Nodes load(const scenario::FilePlatform& spec, const FileText& file, simgrid::s4u::Engine& engine);

// Multiplies the bandwidths and latencies of all links by the platform's factors. Throws InputError, naming a link
// whose bandwidth is not its own to change.
void scale_links(const scenario::PlatformSpec& spec, const simgrid::s4u::Engine& engine);

// Limits of links and hosts. SimGrid (3.32) treats rates below 1e-5 as 0, and sums of times must stay finite.
constexpr double least_bytes_per_s = 1e-3, least_flops = 1e-3, most_quantity = 1e30;

// Throws InputError, starting with `origin`, if a link or one of the nodes has another latency, bandwidth or speed.
void check_quantities(const simgrid::s4u::Engine& engine, const Nodes& nodes, const std::string& origin);

// SimGrid gives every platform a loopback link, which no message uses here.
constexpr const char* loopback = "__loopback__";

struct WayOfHosts {
  std::vector<simgrid::s4u::Link*> links;
  double latency_s = 0;
};
// Nothing if there is no route. A route may have a latency and no link (Vivaldi).
std::optional<WayOfHosts> way_between(const simgrid::s4u::Host* source, const simgrid::s4u::Host* target);

// The routes between all pairs of nodes are looked at up to so many nodes.
constexpr std::size_t most_nodes_for_all_pairs = 300;

}  // namespace ddl::platform

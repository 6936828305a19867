// The two ways to create a platform in SimGrid: generated, or from a file. Inside sim/platform only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace simgrid::s4u {
class Engine;
class Host;
}  // namespace simgrid::s4u

namespace ddl::platform {

using Hosts = std::vector<simgrid::s4u::Host*>;

struct Nodes {
  Hosts hosts;  // workers first, then servers
  int workers = 0;
};

// Makes the hosts, links and routes of a generated network. Throws InputError when it would be too large.
Nodes generate(const scenario::GeneratedPlatform& spec, const simgrid::s4u::Engine& engine);

// The number of nodes that the platform file at `path` gives, found in a child process, so that this engine stays
// unchanged. Throws InputError naming `path` if anything is wrong with the file, the names or the routes between the
// nodes.
std::size_t probe_platform(const scenario::FilePlatform& spec, const std::string& path, simgrid::s4u::Engine& engine);

// Loads a file that has been tried so, and picks the nodes by name.
Nodes load(const scenario::FilePlatform& spec, const std::string& path, simgrid::s4u::Engine& engine);

}  // namespace ddl::platform

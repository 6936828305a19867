// How a platform comes into being: the two ways to tell SimGrid of hosts and links. Inside sim/platform only.
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

// How many nodes the platform file at `path` will give, found out in a child process: the engine is as before. Throws
// InputError naming `path` for all that is wrong with file or names, routes between the nodes included.
std::size_t probe_platform(const scenario::FilePlatform& spec, const std::string& path, simgrid::s4u::Engine& engine);

// Loads a file that has been examined and picks the nodes by name.
Nodes load(const scenario::FilePlatform& spec, const std::string& path, simgrid::s4u::Engine& engine);

}  // namespace ddl::platform

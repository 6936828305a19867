// Libraries of training systems (core/systems/plugin.hpp).
#pragma once

#include <string>

#include "core/node/registry.hpp"

namespace ddl::scenario {

// Opens a library and adds its systems, unless they are there already. It stays open until the process ends. Throws
// InputError.
void open_plugin(Registry& systems, const std::string& path);

}  // namespace ddl::scenario

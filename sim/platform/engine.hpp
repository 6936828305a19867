// SimGrid's engine as it is set up here. Inside sim/platform only.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "sim/platform/fabric.hpp"

namespace ddl::platform {

// With the scenario's network settings, and silent.
std::unique_ptr<simgrid::s4u::Engine> make_engine(const scenario::NetworkSpec& network);

// Before actors are made.
void make_room_for_stacks(std::size_t nodes);

// Nothing, if a factor depends on the size of a message: a platform file may set that.
std::optional<NetworkNumbers> plain_numbers(const scenario::NetworkSpec& network);

}  // namespace ddl::platform

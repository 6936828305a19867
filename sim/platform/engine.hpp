// Creates SimGrid's engine. Inside sim/platform only.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "sim/platform/fabric.hpp"

namespace ddl::platform {

// With the scenario's network settings, and with logging off.
std::unique_ptr<simgrid::s4u::Engine> make_engine(const scenario::NetworkSpec& network);

// Before actors are made, of which there will be no more at once.
void make_room_for_stacks(double actors);

// None if a factor depends on the size of a message, which a platform file can configure.
std::optional<NetworkNumbers> plain_numbers(const scenario::NetworkSpec& network);

// Whether neither the platform file nor this program has set it.
bool has_default(const char* setting);

// Sets SimGrid and `numbers`, which are the plain ones, to the plan.
void follow(const NetworkPlan& plan, bool measured, NetworkNumbers& numbers);

}  // namespace ddl::platform

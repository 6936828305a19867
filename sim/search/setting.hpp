// What an answer depends on beside the system: how long is trained, on how many hosts, with which model, data and
// network.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace ddl::search {

// A line on training and one on the network, which is built for that in a child process; the latter is missing where
// the platform cannot be built.
std::vector<std::string> setting_of(const scenario::Scenario& scenario);

}  // namespace ddl::search

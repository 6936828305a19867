// The level of one link, from its flows' offers elsewhere.
#pragma once

#include <vector>

#include "sim/network/flows/max_min_parts.hpp"

namespace ddl::network::flows::max_min {

// Levels that differ by less than this part of them are the same (SimGrid's own solver: 1e-5).
constexpr double same = 1e-10;

// The level at which a link is full if no flow takes more than its offer elsewhere, by stop; never, if it is not full.
// Sets `risen` for flows that get less than their offer.
double water_level(const Link& link, const std::vector<double>& offers, std::vector<char>& risen);

}  // namespace ddl::network::flows::max_min

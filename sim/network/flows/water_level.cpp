#include "sim/network/flows/water_level.hpp"

#include <algorithm>

namespace ddl::network::flows::max_min {

double water_level(const Link& link, const std::vector<double>& offers, std::vector<char>& risen) {
  double left = link.capacity, level = 0;
  risen.assign(link.stops.size(), 1);
  for (bool more = true; more;) {
    more = false;
    double weight = 0;
    for (std::size_t i = 0; i < link.stops.size(); ++i) {
      if (risen[i]) weight += link.stops[i].weight;
    }
    if (weight <= 0) return never;
    level = std::max(level, left / weight);
    for (std::size_t i = 0; i < link.stops.size(); ++i) {
      if (!risen[i] || !(offers[i] < level)) continue;
      left -= offers[i] * link.stops[i].weight;
      risen[i] = 0;
      more = true;
    }
  }
  return level;
}

}  // namespace ddl::network::flows::max_min

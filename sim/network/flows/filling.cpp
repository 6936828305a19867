#include "sim/network/flows/filling.hpp"

#include <algorithm>
#include <functional>

namespace ddl::network::flows::max_min {

void Filling::fill(const std::vector<Link>& links, const std::vector<Flow>& flows) {
  links_.assign(links.size(), {});
  bindings_.assign(flows.size(), unbound);
  queue_.clear();
  visits_ = 0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links[i].stops.empty()) continue;
    links_[i].capacity = links[i].capacity;
    links_[i].flows = links[i].stops.size();
    for (const Stop& stop : links[i].stops) links_[i].weight += stop.weight;
    queue_.emplace_back(share(static_cast<int>(i)), static_cast<int>(i));
  }
  std::ranges::make_heap(queue_, std::greater<>());
  double level = 0;  // only rises
  while (!queue_.empty()) {
    std::ranges::pop_heap(queue_, std::greater<>());
    const auto [then, link] = queue_.back();
    queue_.pop_back();
    const auto at = static_cast<std::size_t>(link);
    if (links_[at].flows == 0) continue;
    const double now = std::max(share(link), level);
    if (now > then && !queue_.empty() && now > queue_.front().first) {
      push(now, link);
      continue;
    }
    if (fix_bounded(link, now, links, flows)) {
      if (links_[at].flows > 0) push(std::max(share(link), level), link);
      continue;
    }
    level = now;
    for (const Stop& stop : links[at].stops) {
      if (bindings_[static_cast<std::size_t>(stop.flow)] == unbound) fix(stop.flow, level, link, flows);
    }
    visits_ += static_cast<std::int64_t>(links[at].stops.size());
    links_[at].level = level;
  }
}

double Filling::share(int link) const {
  const Remains& remains = links_[static_cast<std::size_t>(link)];
  return remains.capacity / remains.weight;
}

// Fixes those of the link's flows whose own bounds are below the level of any link that could still bind them.
bool Filling::fix_bounded(int link, double level, const std::vector<Link>& links, const std::vector<Flow>& flows) {
  bool any = false;
  for (const Stop& stop : links[static_cast<std::size_t>(link)].stops) {
    const auto flow = static_cast<std::size_t>(stop.flow);
    if (bindings_[flow] != unbound || !(flows[flow].bound_level < level)) continue;
    fix(stop.flow, flows[flow].bound_level, own_bound, flows);
    any = true;
  }
  visits_ += static_cast<std::int64_t>(links[static_cast<std::size_t>(link)].stops.size());
  return any;
}

void Filling::fix(int flow, double level, int binding, const std::vector<Flow>& flows) {
  bindings_[static_cast<std::size_t>(flow)] = binding;
  for (const Hop& hop : flows[static_cast<std::size_t>(flow)].hops) {
    Remains& remains = links_[static_cast<std::size_t>(hop.link)];
    remains.capacity -= hop.weight * level;
    remains.weight -= hop.weight;
    --remains.flows;
  }
}

void Filling::push(double share, int link) {
  queue_.emplace_back(share, link);
  std::ranges::push_heap(queue_, std::greater<>());
}

}  // namespace ddl::network::flows::max_min

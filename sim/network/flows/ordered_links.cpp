#include "sim/network/flows/ordered_links.hpp"

#include <algorithm>
#include <numeric>

#include "sim/network/flows/water_level.hpp"

namespace ddl::network::flows::max_min {
namespace {

constexpr int most_turns = 16;           // per update
constexpr std::size_t few_gaps = 16;     // gaps that may stay
constexpr std::size_t most_passed = 16;  // by a link, on average, before they are sorted afresh
constexpr int no_flow = -1;

}  // namespace

// --- flows come and go ---

void OrderedLinks::build(const std::vector<Link>& links, const std::vector<Flow>& flows, const Filling& filling) {
  const std::size_t count = links.size();
  is_current_ = true;
  bound_flows_.resize(count);
  for (BoundFlows& each : bound_flows_) each.parts.clear(), each = {.parts = std::move(each.parts)};
  self_bound_ = {};
  levels_.resize(count);
  weights_.resize(count);
  remains_.resize(count);
  ranks_.resize(count);
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0);
  for (const int link : order_) level_of(link) = filling.level(link);
  std::ranges::stable_sort(order_, {}, [&](int link) { return level_of(link); });
  number_links();
  stale_links_ = order_;
  is_stale_.assign(count, 1);
  is_passed_.assign(count, 0);
  passed_links_.clear();
  first_parts_.assign(flows.size(), 0);
  bindings_.assign(flows.size(), unbound);
  rebound_.clear();
  for (int flow = 0; flow < static_cast<int>(flows.size()); ++flow) {
    const int found = filling.binding(flow);
    if (found == unbound) continue;
    const Flow& f = flows[static_cast<std::size_t>(flow)];
    bind(flow, found == own_bound ? own_bound : first_link(f), flows);
    if (binding(flow) != f.binding) rebound_.push_back(flow);
  }
}

void OrderedLinks::add(int flow, const std::vector<Flow>& flows) {
  const Flow& f = flows[static_cast<std::size_t>(flow)];
  if (static_cast<std::size_t>(flow) >= bindings_.size()) {
    bindings_.resize(static_cast<std::size_t>(flow) + 1, unbound);
    first_parts_.resize(bindings_.size());
  }
  if (f.hops.empty()) return;
  for (const Hop& hop : f.hops) mark_stale(hop.link);
  bind(flow, first_link(f), flows);
  rebound_.push_back(flow);
}

void OrderedLinks::remove(int flow, const std::vector<Flow>& flows) {
  for (const Hop& hop : flows[static_cast<std::size_t>(flow)].hops) mark_stale(hop.link);
  if (binding(flow) == unbound) return;
  unbind(flow);
  bindings_[static_cast<std::size_t>(flow)] = unbound;
}

void OrderedLinks::mark_stale(int link) {
  char& is_stale = is_stale_[static_cast<std::size_t>(link)];
  if (!is_stale) stale_links_.push_back(link);
  is_stale = 1;
}

int OrderedLinks::first_link(const Flow& flow) const {
  return std::ranges::min(flow.hops, {}, [&](const Hop& hop) { return rank(hop.link); }).link;
}

void OrderedLinks::bind(int flow, int binding, const std::vector<Flow>& flows) {
  const Flow& f = flows[static_cast<std::size_t>(flow)];
  BoundFlows& to = bound_at(binding);
  bindings_[static_cast<std::size_t>(flow)] = binding;
  first_parts_[static_cast<std::size_t>(flow)] = to.parts.size();
  ++to.count;
  to.least_bound = std::min(to.least_bound, f.bound_level);
  for (const Hop& hop : f.hops) {
    if (hop.link != binding) to.parts.push_back({hop.link, flow, hop.weight});
  }
  if (f.hops.size() == 1 && binding != own_bound) to.parts.push_back({binding, flow, 0});
}

void OrderedLinks::unbind(int flow) {
  BoundFlows& from = bound_at(binding(flow));
  --from.count;
  for (std::size_t i = first_parts_[static_cast<std::size_t>(flow)];
       i < from.parts.size() && from.parts[i].flow == flow; ++i) {
    from.parts[i].flow = no_flow;
    from.parts[i].weight = 0;
    ++from.gone;
  }
  if (from.gone > few_gaps + from.parts.size() / 4) close_gaps(from);
}

void OrderedLinks::rebind(int flow, int binding, const std::vector<Flow>& flows) {
  unbind(flow);
  bind(flow, binding, flows);
  rebound_.push_back(flow);
}

void OrderedLinks::close_gaps(BoundFlows& of) {
  std::erase_if(of.parts, [](const Part& part) { return part.flow == no_flow; });
  of.gone = 0;
  for (std::size_t i = of.parts.size(); i-- > 0;) first_parts_[static_cast<std::size_t>(of.parts[i].flow)] = i;
}

// --- levels ---

bool OrderedLinks::update(const std::vector<Link>& links, const std::vector<Flow>& flows) {
  visits_ = 0;
  add_up_weights(links);
  for (int turn = 0; turn < most_turns; ++turn) {
    compute_levels(links, flows);
    sort_links();
    if (!rebind_flows(flows)) return true;
  }
  invalidate();
  return false;
}

void OrderedLinks::add_up_weights(const std::vector<Link>& links) {
  for (const int link : std::exchange(stale_links_, {})) {
    const auto at = static_cast<std::size_t>(link);
    is_stale_[at] = 0;
    weights_[at] = 0;
    for (const Stop& stop : links[at].stops) weights_[at] += stop.weight;
    visits_ += static_cast<std::int64_t>(links[at].stops.size());
  }
}

void OrderedLinks::compute_levels(const std::vector<Link>& links, const std::vector<Flow>& flows) {
  too_high_links_.clear();
  for (std::size_t i = 0; i < links.size(); ++i) remains_[i] = {links[i].capacity, weights_[i]};
  for (const Part& part : self_bound_.parts) {
    if (part.flow != no_flow) use(part, flows[static_cast<std::size_t>(part.flow)].bound_level);
  }
  visits_ += static_cast<std::int64_t>(self_bound_.parts.size());
  for (const int link : order_) {
    const BoundFlows& at = bound_at(link);
    const double level = share(link, links, flows);
    level_of(link) = level;
    if (at.count == 0) continue;
    if (at.least_bound < level * (1 - same)) too_high_links_.push_back(link);
    for (const Part& part : at.parts) use(part, level);
    visits_ += static_cast<std::int64_t>(at.parts.size());
  }
}

// If flows bound before this link take more than its capacity, some of them will be bound here.
double OrderedLinks::share(int link, const std::vector<Link>& links, const std::vector<Flow>& flows) {
  const auto at = static_cast<std::size_t>(link);
  const double left = remains_[at].capacity, least = same * links[at].capacity;
  if (bound_flows_[at].count == 0 && left >= -least) return never;
  if (bound_flows_[at].count > 0 && left > least) return left / remains_[at].weight;
  offers_.clear();
  for (const Stop& stop : links[at].stops) {
    const int there = binding(stop.flow);
    offers_.push_back(there == link        ? never
                      : there == own_bound ? flows[static_cast<std::size_t>(stop.flow)].bound_level
                                           : level(there));
  }
  visits_ += static_cast<std::int64_t>(offers_.size());
  return water_level(links[at], offers_, risen_);
}

void OrderedLinks::use(const Part& part, double level) {
  Remains& remains = remains_[static_cast<std::size_t>(part.link)];
  remains.capacity -= part.weight * level;
  remains.weight -= part.weight;
}

// --- order ---

void OrderedLinks::number_links() {
  for (std::size_t i = 0; i < order_.size(); ++i) ranks_[static_cast<std::size_t>(order_[i])] = static_cast<int>(i);
}

// Sorts links by level; levels have changed little, and links of equal level keep their order.
void OrderedLinks::sort_links() {
  passed_links_.clear();
  for (std::size_t i = 1, passed = 0; i < order_.size(); ++i) {
    const int link = order_[i];
    const double level = level_of(link);
    std::size_t to = i;
    for (; to > 0 && level < level_of(order_[to - 1]) * (1 - same); --to) {
      const int other = order_[to - 1];
      char& is_passed = is_passed_[static_cast<std::size_t>(other)];
      if (!is_passed) passed_links_.push_back(other);
      is_passed = 1;
      order_[to] = other;
    }
    order_[to] = link;
    passed += i - to;
    if (passed <= most_passed * order_.size()) continue;
    std::ranges::stable_sort(order_, {}, [&](int each) { return level_of(each); });
    passed_links_ = order_;
    break;
  }
  for (const int link : passed_links_) is_passed_[static_cast<std::size_t>(link)] = 0;
  if (!passed_links_.empty()) number_links();
}

// Binds flows to their links in the new order. False if none moved.
bool OrderedLinks::rebind_flows(const std::vector<Flow>& flows) {
  rebindings_.clear();
  for (const int link : passed_links_) find_flows_of_passed(link);
  for (const int link : too_high_links_) find_flows_above_own_bound(link, flows);
  find_flows_below_own_bound(flows);
  for (const auto& [flow, binding] : rebindings_) rebind(flow, binding, flows);
  return !rebindings_.empty();
}

void OrderedLinks::find_flows_of_passed(int link) {
  const std::vector<Part>& parts = bound_at(link).parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (rank(parts[i].link) >= rank(link) || parts[i].flow == no_flow) continue;
    const int flow = parts[i].flow;
    int first = parts[i].link;
    for (; i + 1 < parts.size() && parts[i + 1].flow == flow; ++i) {
      if (rank(parts[i + 1].link) < rank(first)) first = parts[i + 1].link;
    }
    rebindings_.emplace_back(flow, first);
  }
  visits_ += static_cast<std::int64_t>(parts.size());
}

void OrderedLinks::find_flows_above_own_bound(int link, const std::vector<Flow>& flows) {
  BoundFlows& at = bound_at(link);
  int last = no_flow;
  at.least_bound = never;
  for (const Part& part : at.parts) {
    if (part.flow == no_flow || part.flow == last) continue;
    last = part.flow;
    const double bound = flows[static_cast<std::size_t>(last)].bound_level;
    if (bound < level(link) * (1 - same)) {
      rebindings_.emplace_back(last, own_bound);
    } else {
      at.least_bound = std::min(at.least_bound, bound);
    }
  }
  visits_ += static_cast<std::int64_t>(at.parts.size());
}

void OrderedLinks::find_flows_below_own_bound(const std::vector<Flow>& flows) {
  int last = no_flow;
  for (const Part& part : self_bound_.parts) {
    if (part.flow == no_flow || part.flow == last) continue;
    const Flow& flow = flows[static_cast<std::size_t>(part.flow)];
    if (!(level(part.link) < flow.bound_level * (1 - same))) continue;
    last = part.flow;
    rebindings_.emplace_back(last, first_link(flow));
  }
  visits_ += static_cast<std::int64_t>(self_bound_.parts.size());
}

}  // namespace ddl::network::flows::max_min

#include "sim/network/flows/max_min.hpp"

#include <algorithm>

namespace ddl::network::flows {
namespace {

constexpr int most_changes = 4096;  // limit of changes to a sum before it is added up afresh

}  // namespace

MaxMin::MaxMin(const std::vector<double>& capacities, Listener& listener) : listener_(listener) {
  links_.resize(capacities.size());
  for (std::size_t i = 0; i < capacities.size(); ++i) links_[i].capacity = capacities[i];
}

double MaxMin::level(int flow) const {
  const Flow& f = flow_at(flow);
  return f.binding >= 0 ? at(f.binding).level : f.binding == own_bound ? f.bound_level : 0;
}

// --- flows come and go ---

int MaxMin::add(const std::vector<Use>& uses, double penalty, double bound) {
  int flow = static_cast<int>(flows_.size());
  if (free_flows_.empty()) {
    flows_.emplace_back();
  } else {
    flow = free_flows_.back();
    free_flows_.pop_back();
  }
  Flow& f = flow_at(flow);
  f.hops.clear();
  f.penalty = penalty;
  f.bound_level = bound < never ? bound * penalty : never;
  f.binding = unbound;
  int narrowest = -1;
  double least = never;
  stops_ += static_cast<std::int64_t>(uses.size());
  for (const Use& use : uses) {
    Link& link = at(use.link);
    f.hops.push_back({use.link, use.use / penalty, link.stops.size()});
    link.stops.push_back({flow, f.hops.size() - 1, f.hops.back().weight});
    link.weight += f.hops.back().weight;
    const double share = link.capacity / link.weight;
    if (!link.listens && link.promise > share) enqueue(use.link);
    if (share < least) least = share, narrowest = use.link;
  }
  if (ordered_links_.is_current()) ordered_links_.add(flow, flows_);
  if (add_at_full_link(flow)) return flow;
  if (f.bound_level < never) bind(flow, own_bound);
  for (const Hop& hop : f.hops) {
    const Link& link = at(hop.link);
    if (link.listens || f.bound_level > link.promise) enqueue(hop.link);
  }
  if (f.binding == unbound) enqueue(narrowest);
  return flow;
}

// The usual case when many share a link: one more is bound there, and only levels change.
bool MaxMin::add_at_full_link(int flow) {
  const Flow& f = flow_at(flow);
  int full = -1;
  double level = f.bound_level;
  for (const Hop& hop : f.hops) {
    const Link& link = at(hop.link);
    if (link.bound_here == 0 || link.queued) continue;
    const double with_it = (link.capacity - link.load) / (link.bound_weight + hop.weight);
    if (with_it < level) level = with_it, full = hop.link;
  }
  if (full < 0 || !(level > at(full).most_elsewhere)) return false;
  Link& link = at(full);
  bind(flow, full);
  ++link.bound_here;
  link.least_offer = std::min(link.least_offer, f.bound_level);
  for (const Hop& hop : f.hops) {
    if (hop.link == full) {
      link.bound_weight += hop.weight;
      ++link.changes;
      continue;
    }
    Link& other = at(hop.link);
    link.notifies = link.notifies || other.listens;
    link.least_offer = std::min(link.least_offer, other.listens ? other.level : other.promise);
    if (!other.listens || other.queued) continue;
    if (other.bound_here == 0) {
      enqueue(hop.link);
      continue;
    }
    other.load += hop.weight * level;
    other.most_elsewhere = std::max(other.most_elsewhere, level);
    ++other.changes;
    adjust(hop.link);
  }
  adjust(full);
  if (link.queued) {
    // Its level may become a different one, or even the old one again, without any notification.
    for (const Hop& hop : f.hops) {
      if (hop.link != full) enqueue(hop.link);
    }
  }
  return true;
}

void MaxMin::remove(int flow) {
  Flow& f = flow_at(flow);
  const double old_level = level(flow);
  if (ordered_links_.is_current()) ordered_links_.remove(flow, flows_);
  stops_ -= static_cast<std::int64_t>(f.hops.size());
  for (const Hop& hop : f.hops) {
    Link& link = at(hop.link);
    const Stop last = link.stops.back();
    link.stops[hop.place] = last;
    flow_at(last.flow).hops[last.hop].place = hop.place;
    link.stops.pop_back();
    link.weight = link.stops.empty() ? 0 : link.weight - hop.weight;
    if (f.binding == hop.link) {
      --link.bound_here;
      link.bound_weight -= hop.weight;
    } else if (link.bound_here > 0) {
      link.load -= hop.weight * old_level;
    } else if (!link.listens && !link.stops.empty()) {
      continue;
    }
    ++link.changes;
    adjust(hop.link);
  }
  free_flows_.push_back(flow);
}

void MaxMin::set_capacity(int link, double capacity) {
  at(link).capacity = capacity;
  enqueue(link);
}

// After a change of a link's sums: a new level for the same flows, or a new computation if other flows may be bound
// here now.
void MaxMin::adjust(int link) {
  Link& l = at(link);
  if (l.queued) return;
  const double level = l.bound_here > 0 ? (l.capacity - l.load) / l.bound_weight : 0;
  if (l.bound_here == 0 || l.changes > most_changes || !(level > l.most_elsewhere) || level > l.least_offer) {
    enqueue(link);
    return;
  }
  set_level(link, level);
  if (l.notifies) notify_links(link);
}

}  // namespace ddl::network::flows

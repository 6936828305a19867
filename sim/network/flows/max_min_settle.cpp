// How MaxMin's links settle.
//
// Filling and OrderedLinks alone would give the same levels in half the code, but they visit all links and flows at
// each event. Processor seconds of whole runs (100 Mbit/s, 1 MB, the model TCP), settling and with all levels at once
// each time:
//
//   gossip          200 workers, 5 steps      0.11   0.13      ring all-reduce  100 workers, 2 steps   0.13   0.23
//                 1,000 workers, 5 steps      0.47   0.73      D-PSGD         1,000 workers, 3 steps   0.25   0.70
//                 4,000 workers, 3 steps      1.6    5.1       ps_async         512 workers, 5 steps   0.15   0.30
//                10,000 workers, 2 steps      7.5   25.6                      4,000 workers, 2 steps   0.99   3.2
//
// Instructions by callgrind: gossip among 200 workers 0.51 and 0.60 billion, ps_async with 512 0.30 and 0.47.
#include <algorithm>
#include <cmath>

#include "core/base/check.hpp"
#include "sim/network/flows/max_min.hpp"
#include "sim/network/flows/water_level.hpp"

namespace ddl::network::flows {
namespace {

using max_min::same;

constexpr std::size_t few = 8;        // a link with at most this many flows promises its full share
constexpr double promise_factor = 4;  // times the greatest level: renewed when levels have doubled twice
// Settling gives up for all levels at once after this many visits, or this part of all stops, plus one per link.
constexpr std::int64_t few_visits = 100, part_of_visits = 4;
constexpr int times_before_a_look = 128;
constexpr std::int64_t most_turns = 100;  // per link in one settling

bool is_same(double a, double b) {
  return a == b || (a < MaxMin::never && b < MaxMin::never && std::abs(a - b) <= same * std::max(a, b));
}

}  // namespace

void MaxMin::enqueue(int link) {
  Link& l = at(link);
  if (l.queued) return;
  l.queued = true;
  queue_.push_back(link);
}

void MaxMin::settle() {
  if (queue_.empty()) return;
  // If all levels at once was quicker the last time, it is again, except for a new try now and then.
  if (times_at_once_ % times_before_a_look != 0) return compute_all_levels();
  ordered_links_.invalidate();
  const std::int64_t most_visits =
      visits_ + few_visits + stops_ / part_of_visits + static_cast<std::int64_t>(links_.size());
  const std::int64_t most = most_turns * (1000 + static_cast<std::int64_t>(links_.size()));
  for (std::int64_t turns = 0; !queue_.empty(); ++turns) {
    check(turns < most, "the sharing of links settles");
    if (visits_ > most_visits) return compute_all_levels();
    const int link = queue_.front();
    queue_.pop_front();
    at(link).queued = false;
    compute_level(link);
  }
  times_at_once_ = 0;
}

// Afterwards each link listens, promises nothing, and does not use its sums (no level exceeds most_elsewhere), until
// compute_level() has visited it.
void MaxMin::compute_all_levels() {
  ++times_at_once_;
  for (const int link : queue_) at(link).queued = false;
  queue_.clear();
  const bool was_current = ordered_links_.is_current();
  if (!was_current || !ordered_links_.update(links_, flows_)) {
    filling_.fill(links_, flows_);
    ordered_links_.build(links_, flows_, filling_);
    visits_ += filling_.visits();
  }
  if (was_current) visits_ += ordered_links_.visits();
  for (int link = 0; link < static_cast<int>(links_.size()); ++link) {
    Link& l = at(link);
    if (!l.stops.empty() || l.level < never) set_level(link, ordered_links_.level(link));
    l.load = l.bound_weight = 0;
    l.bound_here = ordered_links_.bound_count(link);
    l.changes = 0;
    l.most_elsewhere = never;
    l.least_offer = 0;
    l.notifies = l.listens = !l.stops.empty();
    l.promise = never;
  }
  for (const int flow : ordered_links_.take_rebound()) {
    const int binding = ordered_links_.binding(flow);
    if (binding != unbound && binding != flow_at(flow).binding) bind(flow, binding);
  }
}

// The flow's level if it is bound elsewhere: should yet another link offer it less, that link will bind it and notify.
// Otherwise the least of the other offers.
double MaxMin::offer_elsewhere(int flow, int link) const {
  const Flow& f = flow_at(flow);
  if (f.binding != link && f.binding != unbound) return std::min(level(flow), f.bound_level);
  double least = f.bound_level;
  for (const Hop& hop : f.hops) {
    if (hop.link != link) least = std::min(least, at(hop.link).level);
  }
  return least;
}

void MaxMin::compute_level(int link) {
  Link& l = at(link);
  visits_ += static_cast<std::int64_t>(l.stops.size());
  offers_.clear();
  for (const Stop& stop : l.stops) offers_.push_back(offer_elsewhere(stop.flow, link));
  const double water = max_min::water_level(l, offers_, risen_);
  // Among flows with equal offers elsewhere, those bound here stay.
  double load = 0, weight = 0;
  std::size_t bound_here = 0;
  for (std::size_t i = 0; i < l.stops.size(); ++i) {
    const Flow& flow = flow_at(l.stops[i].flow);
    const double its_weight = l.stops[i].weight;
    const bool equal = is_same(offers_[i], water);
    risen_[i] = water < never && (equal ? flow.binding == link : offers_[i] > water);
    if (risen_[i]) {
      weight += its_weight;
      ++bound_here;
    } else {
      load += its_weight * offers_[i];
    }
  }
  const double level = bound_here == 0 ? never : std::max((l.capacity - load) / weight, water * (1 - same));
  const bool changed = !is_same(level, l.level);
  set_level(link, level);
  l.load = load;
  l.bound_weight = weight;
  l.bound_here = bound_here;
  l.changes = 0;
  for (std::size_t i = 0; i < l.stops.size(); ++i) {
    const int flow = l.stops[i].flow;
    const int binding = flow_at(flow).binding;
    if (risen_[i] && binding != link) {
      bind(flow, link);
      notify_links_of(flow, link);
    } else if (!risen_[i] && (binding == link || binding == unbound)) {
      release(flow, link);
    } else if (risen_[i] && changed) {
      notify_links_of(flow, link);
    }
  }
  sum_up(link);
  listen_or_promise(link);
}

void MaxMin::bind(int flow, int link) {
  listener_.before_binding(flow);
  flow_at(flow).binding = link;
  listener_.after_binding(flow);
}

// Binds the flow where its least offer is.
void MaxMin::release(int flow, int link) {
  const Flow& f = flow_at(flow);
  int to = own_bound;
  double least = f.bound_level;
  for (const Hop& hop : f.hops) {
    if (hop.link != link && at(hop.link).level < least) least = at(hop.link).level, to = hop.link;
  }
  check(least < never, "a flow is held back by something");
  bind(flow, to);
  notify_links_of(flow, link);
}

void MaxMin::set_level(int link, double level) {
  if (at(link).level == level) return;
  listener_.before_level(link);
  at(link).level = level;
  listener_.after_level(link);
}

void MaxMin::notify_links(int link) {
  visits_ += static_cast<std::int64_t>(at(link).stops.size());
  bool any_listens = false;
  for (const Stop& stop : at(link).stops) {
    if (flow_at(stop.flow).binding == link) any_listens = notify_links_of(stop.flow, link) || any_listens;
  }
  at(link).notifies = any_listens;
}

bool MaxMin::notify_links_of(int flow, int link) {
  const double now = level(flow);
  bool any_listens = false;
  for (const Hop& hop : flow_at(flow).hops) {
    const Link& other = at(hop.link);
    if (hop.link == link) continue;
    any_listens = any_listens || other.listens;
    if (other.listens || now > other.promise) enqueue(hop.link);
  }
  return any_listens;
}

// Computes the sums by which adjust() sees that the order of offers is unchanged. Renews promises that are nearly used
// up.
void MaxMin::sum_up(int link) {
  Link& l = at(link);
  l.most_elsewhere = 0;
  l.least_offer = never;
  l.notifies = false;
  for (std::size_t i = 0; i < l.stops.size(); ++i) {
    const Flow& flow = flow_at(l.stops[i].flow);
    if (!risen_[i]) {
      l.most_elsewhere = std::max(l.most_elsewhere, std::min(offers_[i], l.level) * (1 - same));
      continue;
    }
    l.least_offer = std::min(l.least_offer, flow.bound_level);
    for (const Hop& hop : flow.hops) {
      if (hop.link == link) continue;
      Link& other = at(hop.link);
      if (other.listens) {
        l.notifies = true;
        l.least_offer = std::min(l.least_offer, other.level);
        continue;
      }
      const double share = other.capacity / other.weight;
      if (other.promise < 2 * l.level && other.promise < share) {
        other.promise = std::min(share, promise_factor * l.level);
      }
      l.least_offer = std::min(l.least_offer, other.promise);
    }
  }
}

void MaxMin::listen_or_promise(int link) {
  Link& l = at(link);
  double greatest = 0;
  for (std::size_t i = 0; i < l.stops.size(); ++i) greatest = std::max(greatest, std::min(offers_[i], l.level));
  const double share = l.stops.empty() ? never : l.capacity / l.weight;
  l.listens = l.level < never || greatest > share * (1 + same);
  l.promise = l.listens
                  ? never
                  : std::max(greatest, l.stops.size() <= few ? share : std::min(share, promise_factor * greatest));
  for (const Stop& stop : l.stops) {
    const int binding = flow_at(stop.flow).binding;
    if (binding < 0 || binding == link) continue;
    Link& other = at(binding);
    other.notifies = other.notifies || l.listens;
    other.least_offer = std::min(other.least_offer, l.listens ? l.level : l.promise);
  }
}

}  // namespace ddl::network::flows

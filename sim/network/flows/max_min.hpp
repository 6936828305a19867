// Weighted max-min fair sharing of links among flows that come and go, with incremental updates.
//
// A flow's level is its rate times its penalty. Max-min fairness raises all levels together until a link is full; its
// flows are bound there, at the link's level, and the others rise on. In the end
//
//   level of a flow = min(its own bound, levels of the links on its way);
//   level of a link = what its capacity leaves to the flows bound there, over the sum of their weights;
//                     infinite when its flows, all bound elsewhere, do not fill it.
//
// These two equations have one solution (Bertsekas and Gallager, Data Networks, 6.5.2). So each link may compute its
// level from the other links' offers to its flows, and notify them when its own offer changes (Charny, MIT 1994), in
// any order: a change travels only as far as it matters. Where it matters to most links, as in all-to-all traffic of
// unequal weights, all levels are computed at once instead (OrderedLinks, which starts from Filling).
//
// Links with many flows need not visit all of them each time:
//   - while the order of offers stays the same, adding or removing a flow changes two sums;
//   - a link that is not full, and cannot become full while its flows' levels stay below its promise, is not notified.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/network/flows/filling.hpp"
#include "sim/network/flows/max_min_parts.hpp"
#include "sim/network/flows/ordered_links.hpp"

namespace ddl::network::flows {

// A flow's use of a link: `use` times its rate. Acknowledgements on the way back are a use of 0.05.
struct Use {
  int link = 0;
  double use = 1;
};

class MaxMin {
 public:
  static constexpr double never = max_min::never;
  static constexpr int own_bound = max_min::own_bound, unbound = max_min::unbound;

  // Is notified of changes while they happen.
  class Listener {
   public:
    virtual void before_level(int link) = 0;  // the level is still the old one
    virtual void after_level(int link) = 0;
    virtual void before_binding(int flow) = 0;  // binding and level are still the old ones
    virtual void after_binding(int flow) = 0;

   protected:
    ~Listener() = default;
  };

  MaxMin(const std::vector<double>& capacities, Listener& listener);

  // Returns the flow's number, which is used again after remove(). A link may occur once in `uses`; without uses
  // `bound`, a limit of the rate, must be finite. The level is unknown before settle().
  int add(const std::vector<Use>& uses, double penalty, double bound);
  int next_number() const { return free_flows_.empty() ? static_cast<int>(flows_.size()) : free_flows_.back(); }
  void remove(int flow);
  void set_capacity(int link, double capacity);
  // Brings all levels up to date. Throws InternalError if they do not settle.
  void settle();

  double level(int flow) const;
  double rate(int flow) const { return level(flow) / flows_[static_cast<std::size_t>(flow)].penalty; }
  int binding(int flow) const { return flows_[static_cast<std::size_t>(flow)].binding; }
  double link_level(int link) const { return links_[static_cast<std::size_t>(link)].level; }
  std::int64_t visits() const { return visits_; }  // visits of flows at links, for measuring

 private:
  using Hop = max_min::Hop;
  using Flow = max_min::Flow;
  using Stop = max_min::Stop;
  using Link = max_min::Link;

  Link& at(int link) { return links_[static_cast<std::size_t>(link)]; }
  const Link& at(int link) const { return links_[static_cast<std::size_t>(link)]; }
  Flow& flow_at(int flow) { return flows_[static_cast<std::size_t>(flow)]; }
  const Flow& flow_at(int flow) const { return flows_[static_cast<std::size_t>(flow)]; }

  bool add_at_full_link(int flow);
  void adjust(int link);
  void enqueue(int link);
  void compute_level(int link);
  void compute_all_levels();
  double offer_elsewhere(int flow, int link) const;
  void bind(int flow, int link);
  void release(int flow, int link);
  void set_level(int link, double level);
  void notify_links(int link);
  bool notify_links_of(int flow, int link);  // true if one of them listens
  void sum_up(int link);
  void listen_or_promise(int link);

  Listener& listener_;
  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<int> free_flows_;
  std::deque<int> queue_;
  std::int64_t stops_ = 0;  // over all links
  max_min::Filling filling_;
  max_min::OrderedLinks ordered_links_;
  int times_at_once_ = 0;       // in a row
  std::vector<double> offers_;  // scratch: of the link being computed, by stop
  std::vector<char> risen_;     // scratch: by stop, true if bound here
  std::int64_t visits_ = 0;
};

}  // namespace ddl::network::flows

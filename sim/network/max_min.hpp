// Weighted max-min fair sharing of links among flows that come and go, brought up to date where something changed.
//
// A flow has a level: its rate times its penalty. Max-min fairness raises all levels together until a link is full; the
// flows through it are bound there, at the link's level, and the others rise on. In the end
//
//   level of a flow = min(its own bound, levels of the links on its way);
//   level of a link = what its capacity leaves to the flows bound there, over the sum of their weights;
//                     infinite when its flows, all bound elsewhere, do not fill it.
//
// These two lines have one solution (Bertsekas and Gallager, Data Networks, 6.5.2), so each link may compute its level
// from what the other links offer its flows, and notify them when its own offer changes (Charny, MIT 1994), in any
// order: a change travels as far as it matters and no further.
//
// Links through which many flows go are spared looking at all of them each time:
//   - while the order of offers stays as it is, one flow more or less changes two sums;
//   - a link that is not full and could not be while its flows' levels stay below its promise need not hear of them.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

namespace ddl::network {

// What a flow takes of a link: `use` times its rate. Acknowledgements on the way back are a use of 0.05.
struct Use {
  int link = 0;
  double use = 1;
};

class MaxMin {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr int own_bound = -1, unbound = -2;  // instead of a link

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

  // The flow's number, which is used again after remove(). A link may occur once in `uses`, and there is at least one.
  // `bound` is of its rate. Its level is not known before settle().
  int add(const std::vector<Use>& uses, double penalty, double bound);
  int next_number() const { return free_flows_.empty() ? static_cast<int>(flows_.size()) : free_flows_.back(); }
  void remove(int flow);
  void set_capacity(int link, double capacity);
  // Brings all levels up to date. Throws InternalError when they do not settle.
  void settle();

  double level(int flow) const;
  double rate(int flow) const { return level(flow) / flows_[static_cast<std::size_t>(flow)].penalty; }
  double penalty(int flow) const { return flows_[static_cast<std::size_t>(flow)].penalty; }
  int binding(int flow) const { return flows_[static_cast<std::size_t>(flow)].binding; }
  double link_level(int link) const { return links_[static_cast<std::size_t>(link)].level; }
  double usage(int link) const;                    // bytes per second now
  std::int64_t visits() const { return visits_; }  // of flows at links, for measuring

 private:
  struct Hop {
    int link = 0;
    double weight = 0;      // use over penalty
    std::size_t place = 0;  // among the link's stops
  };
  struct Flow {
    std::vector<Hop> hops;
    double penalty = 1, bound_level = never;
    int binding = unbound;
  };
  struct Stop {
    int flow = 0;
    std::size_t hop = 0;
  };
  struct Link {
    double capacity = 0, level = never;
    double weight = 0;                  // of all its flows
    double bound_weight = 0, load = 0;  // of those bound here; what the others take
    std::size_t bound_here = 0;
    double most_elsewhere = 0;   // greatest level of a flow bound elsewhere
    double least_offer = never;  // of the other links to those bound here; or less
    bool notifies = false;       // a flow bound here goes through a link that must be notified
    bool listens = false;        // is full, or may be soon
    double promise = never;      // while it does not listen: no flow's level is above this
    bool queued = false;
    int changes = 0;  // of the sums since they were last added up
    std::vector<Stop> stops;
  };

  Link& at(int link) { return links_[static_cast<std::size_t>(link)]; }
  const Link& at(int link) const { return links_[static_cast<std::size_t>(link)]; }
  Flow& flow_at(int flow) { return flows_[static_cast<std::size_t>(flow)]; }
  const Flow& flow_at(int flow) const { return flows_[static_cast<std::size_t>(flow)]; }

  bool add_at_full_link(int flow);
  void adjust(int link);
  void enqueue(int link);
  void compute_level(int link);
  double offer_elsewhere(int flow, int link) const;
  double water_level(const Link& link);
  void bind(int flow, int link);
  void release(int flow, int link);
  void set_level(int link, double level);
  void notify_links(int link);
  bool notify_links_of(int flow, int link);  // whether one of them listens
  void sum_up(int link);
  void listen_or_promise(int link);

  Listener& listener_;
  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<int> free_flows_;
  std::deque<int> queue_;
  std::vector<double> offers_;  // scratch: of the link being computed, by stop
  std::vector<char> risen_;     // scratch: by stop, whether bound here
  std::int64_t visits_ = 0;
};

}  // namespace ddl::network

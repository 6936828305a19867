// Max-min shares of all flows at once, like Filling, for changes that move the level of every link a little: most links
// keep their order, and most flows their link.
//
// Each flow is bound at the first of its links in that order. So levels follow from the first link to the last: a link
// shares the capacity that flows bound before it leave. Links whose new levels are out of order change places, their
// flows follow, and levels are computed again, until all is in order. Each time, each flow is visited once, in memory
// order.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/network/flows/filling.hpp"
#include "sim/network/flows/max_min_parts.hpp"

namespace ddl::network::flows::max_min {

class OrderedLinks {
 public:
  // Builds the order from the shares of all flows.
  void build(const std::vector<Link>& links, const std::vector<Flow>& flows, const Filling& filling);
  bool is_current() const { return is_current_; }  // built, and informed of all changes since
  void invalidate() { is_current_ = false; }
  void add(int flow, const std::vector<Flow>& flows);
  void remove(int flow, const std::vector<Flow>& flows);
  // Brings levels and bindings up to date. False, and no longer current, if that takes too many turns.
  bool update(const std::vector<Link>& links, const std::vector<Flow>& flows);

  double level(int link) const { return levels_[static_cast<std::size_t>(link)]; }
  int binding(int flow) const { return bindings_[static_cast<std::size_t>(flow)]; }
  std::size_t bound_count(int link) const { return bound_flows_[static_cast<std::size_t>(link)].count; }
  // Flows that may have been bound elsewhere since this was last asked; some more than once, some gone since.
  std::vector<int> take_rebound() { return std::exchange(rebound_, {}); }
  std::int64_t visits() const { return visits_; }  // visits of flows at links by the last update()

 private:
  // The weight at another link of a flow bound at one link.
  struct Part {
    int link = 0, flow = 0;  // no flow: it has gone
    double weight = 0;
  };
  struct BoundFlows {            // those bound at one link
    std::vector<Part> parts;     // a flow's parts side by side
    std::size_t gone = 0;        // parts of flows that have gone
    std::size_t count = 0;       // number of flows
    double least_bound = never;  // least own bound of its flows, or a lower bound
  };
  struct Remains {
    double capacity = 0, weight = 0;
  };

  BoundFlows& bound_at(int at) { return at == own_bound ? self_bound_ : bound_flows_[static_cast<std::size_t>(at)]; }
  double& level_of(int link) { return levels_[static_cast<std::size_t>(link)]; }
  int rank(int link) const { return ranks_[static_cast<std::size_t>(link)]; }
  int first_link(const Flow& flow) const;
  void bind(int flow, int binding, const std::vector<Flow>& flows);
  void unbind(int flow);
  void rebind(int flow, int binding, const std::vector<Flow>& flows);
  void close_gaps(BoundFlows& of);
  void mark_stale(int link);
  void number_links();
  void add_up_weights(const std::vector<Link>& links);
  void compute_levels(const std::vector<Link>& links, const std::vector<Flow>& flows);
  double share(int link, const std::vector<Link>& links, const std::vector<Flow>& flows);
  void use(const Part& part, double level);
  void sort_links();
  bool rebind_flows(const std::vector<Flow>& flows);
  void find_flows_of_passed(int link);
  void find_flows_above_own_bound(int link, const std::vector<Flow>& flows);
  void find_flows_below_own_bound(const std::vector<Flow>& flows);

  bool is_current_ = false;
  std::vector<BoundFlows> bound_flows_;             // by link
  BoundFlows self_bound_;                           // their own bounds hold them back
  std::vector<std::size_t> first_parts_;            // by flow: where its parts begin in the BoundFlows that have them
  std::vector<int> bindings_;                       // by flow
  std::vector<int> order_, ranks_;                  // links in order, and each link's place
  std::vector<double> levels_, weights_;            // by link; weights of all its flows
  std::vector<char> is_stale_, is_passed_;          // by link
  std::vector<int> stale_links_;                    // links whose weights must be added up
  std::vector<int> passed_links_, too_high_links_;  // links that others went past; above a flow's own bound
  std::vector<Remains> remains_;                    // scratch, by link
  std::vector<double> offers_;                      // scratch, by stop
  std::vector<char> risen_;                         // scratch, by stop
  std::vector<std::pair<int, int>> rebindings_;     // scratch: flow, and to where
  std::vector<int> rebound_;
  std::int64_t visits_ = 0;
};

}  // namespace ddl::network::flows::max_min

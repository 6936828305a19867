// Max-min shares of all flows at once, like Filling, for changes that move the level of every link a little: they leave
// most links in the order of their levels, and most flows where they are bound.
//
// Each flow is bound at the first of its links in that order. So levels follow from the first link to the last: a link
// shares what is left of its capacity by flows that are bound before it. Links whose new levels are out of order change
// places, their flows follow, and levels are computed again, until all is in order. Each time, each flow is looked at
// once, in the order of memory.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/network/max_min/filling.hpp"
#include "sim/network/max_min/max_min_parts.hpp"

namespace ddl::network::max_min {

class Ladder {
 public:
  // From the shares of all flows.
  void build(const std::vector<Link>& links, const std::vector<Flow>& flows, const Filling& filling);
  bool stands() const { return stands_; }  // it has been built, and knows of all changes since
  void fall() { stands_ = false; }
  void add(int flow, const std::vector<Flow>& flows);
  void remove(int flow, const std::vector<Flow>& flows);
  // Brings levels and bindings up to date. False, and it has fallen, if that takes too many turns.
  bool climb(const std::vector<Link>& links, const std::vector<Flow>& flows);

  double level(int link) const { return levels_[static_cast<std::size_t>(link)]; }
  int binding(int flow) const { return bindings_[static_cast<std::size_t>(flow)]; }
  std::size_t bound(int link) const { return rungs_[static_cast<std::size_t>(link)].bound; }  // how many flows
  // Flows that may have been bound elsewhere since this was last asked; some more than once, some gone since.
  std::vector<int> take_moved() { return std::exchange(moved_, {}); }
  std::int64_t visits() const { return visits_; }  // of flows at links, by the last climb()

 private:
  // What a flow that is bound at one link takes of another.
  struct Part {
    int link = 0, flow = 0;  // of no flow: it has gone
    double weight = 0;
  };
  struct Rung {               // the flows that are bound at a link
    std::vector<Part> parts;  // those of a flow side by side
    std::size_t gone = 0;     // of them
    std::size_t bound = 0;
    double least_bound = never;  // of the flows' own, or less
  };
  struct Remains {
    double capacity = 0, weight = 0;
  };

  Rung& rung(int binding) { return binding == own_bound ? own_ : rungs_[static_cast<std::size_t>(binding)]; }
  double& level_of(int link) { return levels_[static_cast<std::size_t>(link)]; }
  int rank(int link) const { return ranks_[static_cast<std::size_t>(link)]; }
  int first_link(const Flow& flow) const;
  void put(int flow, int binding, const std::vector<Flow>& flows);
  void take(int flow);
  void move(int flow, int binding, const std::vector<Flow>& flows);
  void close_gaps(Rung& rung);
  void note_stale(int link);
  void number_links();
  void add_up_weights(const std::vector<Link>& links);
  void compute_levels(const std::vector<Link>& links, const std::vector<Flow>& flows);
  double share(int link, const std::vector<Link>& links, const std::vector<Flow>& flows);
  void use(const Part& part, double level);
  void sort_links();
  bool follow(const std::vector<Flow>& flows);
  void find_those_behind(int link);
  void find_those_held_back(int link, const std::vector<Flow>& flows);
  void find_those_set_free(const std::vector<Flow>& flows);

  bool stands_ = false;
  std::vector<Rung> rungs_;                    // by link
  Rung own_;                                   // of flows that are held back by themselves
  std::vector<std::size_t> places_;            // by flow: of its first part in its rung
  std::vector<int> bindings_;                  // by flow
  std::vector<int> order_, ranks_;             // of links, and where each is in it
  std::vector<double> levels_, weights_;       // by link; weights of all its flows
  std::vector<char> is_stale_, is_overtaken_;  // by link
  std::vector<int> stale_;                     // links whose weights must be added up
  std::vector<int> overtaken_, exceeding_;     // links that others went past; above a flow's own bound
  std::vector<Remains> remains_;               // scratch, by link
  std::vector<double> offers_;                 // scratch, by stop
  std::vector<char> risen_;                    // scratch, by stop
  std::vector<std::pair<int, int>> moves_;     // scratch: flow, and to where
  std::vector<int> moved_;
  std::int64_t visits_ = 0;
};

}  // namespace ddl::network::max_min

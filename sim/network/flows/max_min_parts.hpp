// MaxMin's records of links and their flows.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace ddl::network::flows::max_min {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr int own_bound = -1, unbound = -2;  // in place of the link that binds a flow

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
  double weight = 0;  // the hop's
};

struct Link {
  double capacity = 0, level = never;
  double weight = 0;                  // total of its flows
  double bound_weight = 0, load = 0;  // weight of flows bound here; capacity taken by the others
  std::size_t bound_here = 0;
  double most_elsewhere = 0;   // greatest level of a flow bound elsewhere
  double least_offer = never;  // least offer of other links to flows bound here, or a lower bound
  bool notifies = false;       // a flow bound here goes through a link that must be notified
  bool listens = false;        // is full, or may be soon
  double promise = never;      // while it does not listen: no flow's level is above this
  bool queued = false;
  int changes = 0;  // to the sums, since they were last added up
  std::vector<Stop> stops;
};

}  // namespace ddl::network::flows::max_min

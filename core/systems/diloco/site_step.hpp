// Steps that all workers at one site take together, so that their models stay equal.
#pragma once

#include <vector>

#include "core/membership/view.hpp"
#include "core/node/node.hpp"
#include "core/node/traffic.hpp"

namespace ddl::systems {

class SiteStep {
 public:
  // Messages arrive at `port`, which must have no other use. The hosts of a site come and go together.
  SiteStep(Node& node, int port, const comm::CollectiveSettings& settings);

  // W. A step with the mean gradient of the workers at this site that are at work. All of them call it, also those
  // whose own steps are over, until a call in which none is at work; then it does nothing.
  // Returns the share of the run that the rate followed (see Gradient::run_share).
  double take(bool at_work);
  bool is_at_work() const { return !over_; }  // whether any of them was, in the last call
  int workers() const { return site_.size(); }

 private:
  Node& node_;
  membership::View site_;
  std::vector<float> update_;
  bool over_ = false;
};

// The workers at the same site as this one, itself among them.
std::vector<int> workers_beside(int worker, const Cluster& cluster);
// How many sites have workers.
int sites_at_work(const Cluster& cluster);
// Traffic of one step at all sites.
std::vector<Flow> flows_of_site_steps(const Cluster& cluster);

}  // namespace ddl::systems

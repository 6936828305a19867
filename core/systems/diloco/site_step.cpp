#include "core/systems/diloco/site_step.hpp"

#include <cstddef>
#include <set>

#include "core/comm/allreduce.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {

SiteStep::SiteStep(Node& node, int port, const comm::CollectiveSettings& settings)
    : node_(node),
      site_(node, port, workers_beside(node.id(), node.cluster()), "gradients of the other workers at the site",
            settings) {}

double SiteStep::take(bool at_work) {
  if (over_) return 0;
  const Cluster& cluster = node_.cluster();
  const Gradient own = at_work ? node_.gradient() : Gradient{};
  const comm::Sum total =
      comm::ring_allreduce().sum(site_, cluster.whole(), {own.values, at_work ? 1.0 : 0, own.run_share});
  over_ = total.weight == 0;
  if (over_) return 0;
  update_.assign(node_.weights().read().size(), 0);
  add_scaled(update_, values_of(total.values), cluster.gradient_weight(total.weight));
  node_.apply({.gradient = update_, .weight = cluster.step_weight(total.weight), .run_share = total.run_share});
  return total.run_share;
}

std::vector<int> workers_beside(int worker, const Cluster& cluster) {
  std::vector<int> workers;
  for (int other = 0; other < cluster.workers; ++other) {
    if (cluster.site(other) == cluster.site(worker)) workers.push_back(other);
  }
  return workers;
}

int sites_at_work(const Cluster& cluster) {
  std::set<int> sites;
  for (int worker = 0; worker < cluster.workers; ++worker) sites.insert(cluster.site(worker));
  return static_cast<int>(sites.size());
}

std::vector<Flow> flows_of_site_steps(const Cluster& cluster) {
  std::vector<Flow> flows;
  for (int worker = 0; worker < cluster.workers; ++worker) {
    const std::vector<int> site = workers_beside(worker, cluster);
    if (site.front() != worker || site.size() == 1) continue;  // told once, or nothing to tell
    const std::size_t g = site.size();
    const double messages = 2.0 * static_cast<double>(g - 1);
    for (std::size_t i = 0; i < g; ++i) {
      flows.push_back({site[i], site[(i + 1) % g], messages / static_cast<double>(g), messages});
    }
  }
  return flows;
}

}  // namespace ddl::systems

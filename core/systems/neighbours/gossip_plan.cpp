// What is known of gossip before it runs.
#include <algorithm>

#include "core/base/check.hpp"
#include "core/systems/neighbours/gossip.hpp"

namespace ddl::systems {
namespace {

void check_late_joiners(const GossipParams& params, const Cluster& cluster) {
  for (const auto& [name, start] : params.late_joiners) {
    if (std::ranges::find(cluster.worker_names, name) == cluster.worker_names.end()) {
      throw InputError("$.algorithm.late_joiners." + name + ": no such worker takes part");
    }
  }
  if (!params.late_joiners.empty() && params.late_joiners.size() == cluster.worker_names.size()) {
    throw InputError("$.algorithm.late_joiners: names every worker; expected at least one that starts at once");
  }
  if (!params.late_joiners.empty() && cluster.hosts_change) {
    throw InputError(
        "$.algorithm.late_joiners: is given, and $.faults has hosts come and go; expected faults of type \"join\"");
  }
}

}  // namespace

double late_start_s(const GossipParams& params, const Cluster& cluster, int worker) {
  if (params.late_joiners.empty()) return 0;
  check_late_joiners(params, cluster);
  const auto late = params.late_joiners.find(cluster.worker_names[static_cast<std::size_t>(worker)]);
  return late == params.late_joiners.end() ? 0 : late->second.value;
}

Traffic GossipParams::traffic(const Cluster& cluster) const {
  check_late_joiners(*this, cluster);
  Traffic result{order == ExchangeOrder::overlap ? Pace::overlapped : Pace::free, {{}}};
  const bool ring = peer == PeerRule::ring;
  if (!ring && cluster.workers > most_workers_all_to_all) return result;
  for (int worker = 0; worker < cluster.workers; ++worker) {
    for (int other = 0; other < cluster.workers; ++other) {
      if (other == worker || (ring && other != (worker + 1) % cluster.workers)) continue;
      const double models = ring ? 1.0 : 1.0 / (cluster.workers - 1);
      if (mode != GossipMode::pull) result.phases[0].push_back({worker, other, models, models});
      if (mode != GossipMode::push) result.phases[0].push_back({other, worker, models, models});
    }
  }
  return result;
}

std::vector<SettingError> GossipParams::errors(const Surroundings&) const {
  std::vector<SettingError> list;
  if (mode == GossipMode::pair && timeout) {
    list.push_back(
        {"timeout", "a pair moves together, so its answer may not be given up; expected mode \"pull\" or \"push\""});
  }
  if (residual && threshold == Threshold::none) {
    list.push_back({"residual", "nothing is dropped without a threshold; expected one, or no residual"});
  }
  return list;
}

}  // namespace ddl::systems

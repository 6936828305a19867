// What is known of gossip before it runs.
#include "core/systems/neighbours/gossip.hpp"

namespace ddl::systems {

Traffic GossipParams::traffic(const Cluster& cluster) const {
  Traffic result{order == ExchangeOrder::overlap ? Pace::overlapped : Pace::free, {{}}};
  const bool ring = peer == PeerRule::ring, waits = !timeout;
  result.random_peers = waits && peer == PeerRule::random;
  if (!waits || (!ring && cluster.workers > most_workers_all_to_all)) {
    result.unlisted_messages = 2.0 * cluster.workers;  // each has its answer
    return result;
  }
  for (int worker = 0; worker < cluster.workers; ++worker) {
    for (int other = 0; other < cluster.workers; ++other) {
      if (other == worker || (ring && other != (worker + 1) % cluster.workers)) continue;
      const double models = ring ? 1.0 : 1.0 / (cluster.workers - 1);
      if (mode != GossipMode::pull) result.phases[0].push_back({worker, other, models, models, true});
      if (mode != GossipMode::push) result.phases[0].push_back({other, worker, models, models});
    }
  }
  return result;
}

// If losses are equal and no exchange is delayed: in a step of every worker each exchanges once, with one of the
// others; round_robin and random choose all of them equally often.
std::optional<graph::Consensus> GossipParams::consensus(const Cluster& cluster) const {
  std::vector<graph::Exchange> exchanges;
  for (int worker = 0; worker < cluster.workers; ++worker) {
    for (int other = 0; other < cluster.workers; ++other) {
      if (other == worker || (peer == PeerRule::ring && other != (worker + 1) % cluster.workers)) continue;
      const bool pushes = mode == GossipMode::push;
      exchanges.push_back({pushes ? other : worker, pushes ? worker : other, mode == GossipMode::pair});
    }
  }
  return graph::consensus_of(cluster.workers, exchanges, cluster.workers);
}

std::vector<SettingError> GossipParams::errors(const Surroundings&) const {
  std::vector<SettingError> list;
  if (mode == GossipMode::pair && timeout) {
    list.push_back(
        {"timeout", "mode \"pair\" cannot time out, for both must move; expected mode \"pull\" or \"push\""});
  }
  if (error_feedback && threshold == Threshold::none) {
    list.push_back({"error_feedback", "nothing is dropped without a threshold; expected one, or no error feedback"});
  }
  return list;
}

}  // namespace ddl::systems

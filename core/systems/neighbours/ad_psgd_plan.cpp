// What is known of AD-PSGD before it runs.
#include <utility>

#include "core/systems/neighbours/ad_psgd.hpp"

namespace ddl::systems {

Traffic AdPsgdParams::traffic(const Cluster& cluster) const {
  Traffic result{Pace::overlapped, {{}}};
  // Without a pause exchanges are as many as the network carries, but no step needs them.
  result.random_peers = !gossip_rate.continuous && peer == PartnerRule::random;
  for (int active = 1; active < cluster.workers; active += 2) {
    const auto others = graph::partners(topology, cluster.workers, active);
    const double models = 1.0 / (gossip_rate.every * static_cast<double>(others.size()));
    for (const int passive : others) {
      if (gossip_rate.continuous) {
        result.unlisted.insert(result.unlisted.end(), {{active, passive}, {passive, active}});
        continue;
      }
      result.phases[0].push_back({active, passive, models});
      result.phases[0].push_back({passive, active, models});
    }
  }
  return result;
}

// A step of every worker, or where exchanges follow one another one of every active worker.
std::optional<graph::Consensus> AdPsgdParams::consensus(const Cluster& cluster) const {
  std::vector<graph::Exchange> exchanges;
  int actives = 0;
  for (int active = 1; active < cluster.workers; active += 2, ++actives) {
    const auto others = graph::partners(topology, cluster.workers, active);
    for (const int passive : others) {
      exchanges.push_back({active, passive, true, 1.0 / static_cast<double>(others.size())});
    }
  }
  const int every = gossip_rate.continuous ? 1 : gossip_rate.every;
  return graph::consensus_of(cluster.workers, exchanges, static_cast<double>(actives) / every);
}

FieldValue form_of(GossipRate& rate) {
  enum Word : std::size_t { per_gradient, continuous };
  WordOrField field{.words = {"per_gradient", "continuous"},
                    .chosen = std::nullopt,
                    .choose = [&rate](std::size_t word) { rate = {.continuous = word == continuous}; },
                    .one =
                        [&rate] {
                          rate = {};
                          return field_value(rate.every);
                        },
                    .list = nullptr,
                    .value = [&rate] { return field_value(rate.every); },
                    .is_not = "is no rate",
                    .expected = "expected \"per_gradient\", \"continuous\" or a count of gradients"};
  if (rate.continuous) {
    field.chosen = continuous;
  } else if (rate.every == 1) {
    field.chosen = per_gradient;
  }
  return {std::move(field)};
}

}  // namespace ddl::systems

// What is known of Ako before it runs.
#include <algorithm>

#include "core/comm/compression.hpp"
#include "core/systems/ako/ako_plan.hpp"

namespace ddl::systems {

Traffic AkoParams::traffic(const Cluster& cluster) const {
  const AkoPlan plan(*this, cluster);  // says now if that is impossible
  const double encoded = comm::least_share(codec, cluster);
  Traffic result{Pace::overlapped, {{}}};
  // What accumulates sends less than its due, so nothing bounds the step but its gradient.
  const bool waits = overflow == Overflow::block || tf_ako.publish == Publish::blocking;
  if (!waits || cluster.workers > most_workers_all_to_all) {
    result.unlisted_messages = static_cast<double>(cluster.workers) * (cluster.workers - 1);
    return result;
  }
  for (int source = 0; source < cluster.workers; ++source) {
    const auto parts = static_cast<double>(plan.partitions(source).size());
    for (int target = 0; target < cluster.workers; ++target) {
      if (source != target) result.phases[0].push_back({source, target, encoded / parts});
    }
  }
  return result;
}

std::vector<SettingError> AkoParams::errors(const Surroundings& around) const {
  std::vector<SettingError> list;
  const std::vector<int>* counts = partitions.counts();
  if (counts != nullptr && counts->size() != 1 && std::ssize(*counts) != around.workers) {
    list.push_back({"partitions", std::to_string(counts->size()) + " counts for " + std::to_string(around.workers) +
                                      " workers; expected one count, one per worker, \"auto\" or \"adaptive\""});
  }
  if (apply == AkoApply::on_arrival && !around.stateless_optimizer) {
    list.push_back({"apply",
                    "\"on_arrival\" applies slices one by one, which needs plain sgd; "
                    "expected \"at_step\" or another optimizer"});
  }
  if (partitions.groups() != nullptr && partitioner != comm::Partitioner::even) {
    list.push_back({"partitioner", "is given, but the groups say how the model is cut; expected no such key"});
  }
  if (partitions.adaptive()) {
    const std::string why = "\"adaptive\" cuts the model in each round as it must, without ever waiting; expected ";
    if (overflow == Overflow::block) list.push_back({"overflow", why + "\"merge\""});
    if (staleness_bound) list.push_back({"staleness_bound", why + "none"});
    if (partitioner != comm::Partitioner::even) list.push_back({"partitioner", why + "\"even\""});
    if (!std::holds_alternative<codec::NoCodecParams>(codec)) list.push_back({"codec", why + "none"});
    if (tf_ako.publish == Publish::blocking) list.push_back({"tf_ako.publish", why + "\"background\""});
  }
  if (tf_ako.publish == Publish::blocking && queue_depth != 1) {
    list.push_back({"tf_ako.publish", "\"blocking\" leaves nothing waiting; expected no \"queue_depth\""});
  }
  if (tf_ako.clock == AkoClock::ping_pong && !staleness_bound) {
    list.push_back({"tf_ako.clock", "\"ping_pong\" keeps a bound; expected \"staleness_bound\", 0 for lock-step"});
  }
  if (partitions.automatic() && !codec::has_fixed_size(codec)) {
    list.push_back(
        {"partitions",
         "\"auto\" needs to know how much is sent, which this codec leaves to the values; expected a count"});
  }
  return list;
}

bool accumulates(const AkoParams& params) {
  const bool encodes = !std::holds_alternative<codec::NoCodecParams>(params.codec);
  return params.partitions.adaptive() || (encodes && params.overflow == Overflow::merge &&
                                          params.tf_ako.publish == Publish::background);  // codes cannot be added
}

// Beside the weights a worker keeps a sum of gradients for each class of peers, or each peer.
MemoryUse AkoParams::memory(std::size_t parameters, int workers) const {
  MemoryUse use = replicas(parameters, workers);
  const int peers = std::max(1, workers - 1);
  int most = 1;
  if (const int* count = std::get_if<int>(&partitions.form)) most = *count;
  if (partitions.groups() != nullptr) most = static_cast<int>(partitions.groups()->size());
  if (partitions.counts() != nullptr) most = std::ranges::max(*partitions.counts());
  const int sums = accumulates(*this) ? peers : schedule == AkoSchedule::rotate ? std::clamp(most, 1, peers) : 1;
  use.vectors = sums + 1;  // and how many gradients came in for each coordinate
  use.all_to_all = true;
  return use;
}

}  // namespace ddl::systems

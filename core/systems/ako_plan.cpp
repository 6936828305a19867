#include "core/systems/ako_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/comm/compression.hpp"

namespace ddl::systems {

int partitions_of(const AkoParams& params, const Cluster& cluster, int worker) {
  const auto w = static_cast<std::size_t>(worker);
  const auto& counts = params.partitions.counts;
  if (!params.partitions.automatic) return counts.size() == 1 ? counts[0] : counts[w];
  const double wanted =
      comm::least_share(params.codec, cluster) * cluster.exchange_s()[w] / (params.utilisation * cluster.compute_s[w]);
  const double most = static_cast<double>(std::min<std::size_t>(cluster.parameters, 1'000'000));
  return static_cast<int>(std::clamp(std::ceil(wanted - 1e-9), 1.0, most));
}

AkoPlan::AkoPlan(const AkoParams& params, const Cluster& cluster) : rotates_(params.schedule == AkoSchedule::rotate) {
  for (int worker = 0; worker < cluster.workers; ++worker) {
    const int count = counts_.emplace_back(partitions_of(params, cluster, worker));
    if (!cuts_.contains(count)) cuts_[count] = make_partitions(params.partitioner, count, cluster);
  }
}

std::size_t AkoPlan::classes(int source) const {
  const std::size_t peers = counts_.size() - 1;
  return std::min(peers, rotates_ ? partitions(source).size() : 1);
}

std::size_t AkoPlan::class_of(int source, int target) const {
  const int rank = target < source ? target : target - 1;
  return rotates_ ? static_cast<std::size_t>(rank) % partitions(source).size() : 0;
}

void ReceivedSteps::note(int part, std::int64_t step) {
  if (away_) {  // what it has sent while it was away was lost
    away_ = false;
    all_ = -1;
    last_.clear();
    next_ = step;
  }
  last_[static_cast<std::size_t>(part)] = step;
  while (true) {
    const auto last = last_.find(plan_.part(source_, class_, next_));
    if (last == last_.end() || last->second < next_) return;
    ++next_;
  }
}

std::int64_t ReceivedSteps::steps() const {
  return away_ || (all_ >= 0 && next_ >= all_) ? std::numeric_limits<std::int64_t>::max() : next_;
}

Traffic traffic_of(const AkoParams& params, const Cluster& cluster) {
  const AkoPlan plan(params, cluster);  // says now if that is impossible
  const double encoded = comm::least_share(params.codec, cluster);
  Traffic result{Pace::overlapped, {{}}};
  // Merged messages send less than their due, so nothing bounds the step but its gradient.
  if (params.overflow == Overflow::merge || cluster.workers > most_workers_all_to_all) return result;
  for (int source = 0; source < cluster.workers; ++source) {
    const auto partitions = static_cast<double>(plan.partitions(source).size());
    for (int target = 0; target < cluster.workers; ++target) {
      if (source != target) result.phases[0].push_back({source, target, encoded / partitions});
    }
  }
  return result;
}

}  // namespace ddl::systems

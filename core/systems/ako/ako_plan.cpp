#include "core/systems/ako/ako_plan.hpp"

#include <algorithm>
#include <cmath>

#include "core/comm/compression.hpp"

namespace ddl::systems {

int partitions_of(const AkoParams& params, const Cluster& cluster, int worker) {
  const auto w = static_cast<std::size_t>(worker);
  const Partitions& partitions = params.partitions;
  if (const int* count = std::get_if<int>(&partitions.form)) return *count;
  if (const auto* counts = partitions.counts()) return counts->size() == 1 ? counts->front() : counts->at(w);
  if (partitions.groups() != nullptr) return static_cast<int>(partitions.groups()->size());
  const double wanted =
      comm::least_share(params.codec, cluster) * cluster.exchange_s[w] / (params.utilisation * cluster.compute_s[w]);
  return static_cast<int>(std::clamp(std::ceil(wanted - 1e-9), 1.0, most_partitions(cluster)));
}

double most_partitions(const Cluster& cluster) {
  return static_cast<double>(std::min<std::size_t>(cluster.parameters, 1'000'000));
}

AkoPlan::AkoPlan(const AkoParams& params, const Cluster& cluster)
    : rotates_(params.schedule == AkoSchedule::rotate),
      adaptive_(params.partitions.adaptive()),
      parameters_(cluster.parameters) {
  const Partitions::Groups* groups = params.partitions.groups();
  for (int worker = 0; worker < cluster.workers; ++worker) {
    const int count = counts_.emplace_back(partitions_of(params, cluster, worker));
    if (cuts_.contains(count)) continue;
    cuts_[count] = groups == nullptr ? comm::make_partitions(params.partitioner, count, cluster)
                                     : comm::make_partitions(*groups, cluster);
  }
}

comm::Partition AkoPlan::cut(int worker, int part, int of) const {
  if (adaptive_) return {even_part(parameters_, of, part)};
  return partitions(worker).at(static_cast<std::size_t>(part));
}

std::size_t AkoPlan::classes(int source) const {
  const std::size_t peers = counts_.size() - 1;
  return std::min(peers, rotates_ ? partitions(source).size() : 1);
}

std::size_t AkoPlan::class_of(int source, int target) const {
  const int rank = target < source ? target : target - 1;
  return rotates_ ? static_cast<std::size_t>(rank) % partitions(source).size() : 0;
}

}  // namespace ddl::systems

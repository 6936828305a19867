#include "core/systems/ako/ako_plan.hpp"

#include <algorithm>
#include <cmath>

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
    if (!cuts_.contains(count)) cuts_[count] = comm::make_partitions(params.partitioner, count, cluster);
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

Traffic AkoParams::traffic(const Cluster& cluster) const {
  const AkoPlan plan(*this, cluster);  // says now if that is impossible
  const double encoded = comm::least_share(codec, cluster);
  Traffic result{Pace::overlapped, {{}}};
  // Merging sends fewer bytes when links are slow, so only the gradient bounds a step.
  if (overflow == Overflow::merge || cluster.workers > most_workers_all_to_all) return result;
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
  const std::size_t counts = partitions.counts.size();
  if (!partitions.automatic && counts != 1 && counts != static_cast<std::size_t>(around.workers)) {
    list.push_back({"partitions", std::to_string(counts) + " counts for " + std::to_string(around.workers) +
                                      " workers; expected one count, one per worker, or \"auto\""});
  }
  if (apply == AkoApply::on_arrival && !around.stateless_optimizer) {
    list.push_back({"apply",
                    "\"on_arrival\" applies slices one by one, which needs plain sgd at a constant rate; "
                    "expected \"at_step\" or another optimizer"});
  }
  if (overflow == Overflow::merge && !std::holds_alternative<codec::NoCodecParams>(codec)) {
    list.push_back(
        {"overflow", "\"merge\" adds waiting sums, which encoded ones are not; expected \"block\" or no codec"});
  }
  if (tf_ako.publish == Publish::blocking && (overflow == Overflow::merge || queue_depth != 1)) {
    list.push_back(
        {"tf_ako.publish", "\"blocking\" leaves nothing waiting; expected no \"queue_depth\" and no \"overflow\""});
  }
  if (tf_ako.clock == AkoClock::ping_pong && !staleness_bound) {
    list.push_back({"tf_ako.clock", "\"ping_pong\" keeps a bound; expected \"staleness_bound\", 0 for lock-step"});
  }
  if (partitions.automatic && !codec::has_fixed_size(codec)) {
    list.push_back(
        {"partitions",
         "\"auto\" needs to know how much is sent, which this codec leaves to the values; expected a count"});
  }
  return list;
}

// Beside the weights a worker keeps a sum of gradients for each class of peers.
MemoryUse AkoParams::memory(const nn::Model* model, int workers) const {
  MemoryUse use = replicas(model, workers);
  const int most = partitions.automatic ? 1 : *std::ranges::max_element(partitions.counts);
  use.vectors = schedule == AkoSchedule::rotate ? std::clamp(most, 1, std::max(1, workers - 1)) : 1;
  use.all_to_all = true;
  return use;
}

FieldValue form_of(Partitions& partitions) {
  WordOrField field{.words = {"auto"},
                    .chosen = std::nullopt,
                    .choose =
                        [&partitions](std::size_t) {
                          partitions = {true, {}};
                        },
                    .one =
                        [&partitions] {
                          partitions = {};
                          return field_value(partitions.counts.front());
                        },
                    .list =
                        [&partitions] {
                          partitions = {};
                          return field_value(partitions.counts);
                        },
                    .value =
                        [&partitions] {
                          return partitions.counts.size() == 1 ? field_value(partitions.counts.front())
                                                               : field_value(partitions.counts);
                        },
                    .is_not = "is no count",
                    .expected = "expected a count, a list with one per worker, or \"auto\""};
  if (partitions.automatic) field.chosen = 0;
  return {std::move(field)};
}

}  // namespace ddl::systems

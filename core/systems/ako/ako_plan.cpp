#include "core/systems/ako/ako_plan.hpp"

#include <algorithm>
#include <cmath>

#include "core/comm/compression.hpp"

namespace ddl::systems {

int partitions_of(const AkoParams& params, const Cluster& cluster, int worker) {
  const auto w = static_cast<std::size_t>(worker);
  const auto& counts = params.partitions.counts;
  if (!params.partitions.groups.empty()) return static_cast<int>(params.partitions.groups.size());
  if (!params.partitions.are_chosen()) return counts.size() == 1 ? counts[0] : counts[w];
  const double wanted =
      comm::least_share(params.codec, cluster) * cluster.exchange_s()[w] / (params.utilisation * cluster.compute_s[w]);
  return static_cast<int>(std::clamp(std::ceil(wanted - 1e-9), 1.0, most_partitions(cluster)));
}

double most_partitions(const Cluster& cluster) {
  return static_cast<double>(std::min<std::size_t>(cluster.parameters, 1'000'000));
}

AkoPlan::AkoPlan(const AkoParams& params, const Cluster& cluster)
    : rotates_(params.schedule == AkoSchedule::rotate),
      adaptive_(params.partitions.adaptive),
      parameters_(cluster.parameters) {
  const auto& groups = params.partitions.groups;
  for (int worker = 0; worker < cluster.workers; ++worker) {
    const int count = counts_.emplace_back(partitions_of(params, cluster, worker));
    if (cuts_.contains(count)) continue;
    cuts_[count] = groups.empty() ? comm::make_partitions(params.partitioner, count, cluster)
                                  : comm::make_partitions(groups, cluster);
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

Traffic AkoParams::traffic(const Cluster& cluster) const {
  const AkoPlan plan(*this, cluster);  // says now if that is impossible
  const double encoded = comm::least_share(codec, cluster);
  Traffic result{Pace::overlapped, {{}}};
  // What accumulates sends less than its due, so nothing bounds the step but its gradient.
  const bool waits = overflow == Overflow::block || tf_ako.publish == Publish::blocking;
  if (!waits || cluster.workers > most_workers_all_to_all) return result;
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
  const bool named = !partitions.groups.empty();
  if (!partitions.are_chosen() && !named && counts != 1 && counts != static_cast<std::size_t>(around.workers)) {
    list.push_back({"partitions", std::to_string(counts) + " counts for " + std::to_string(around.workers) +
                                      " workers; expected one count, one per worker, \"auto\" or \"adaptive\""});
  }
  if (apply == AkoApply::on_arrival && !around.stateless_optimizer) {
    list.push_back({"apply",
                    "\"on_arrival\" applies slices one by one, which needs plain sgd at a constant rate; "
                    "expected \"at_step\" or another optimizer"});
  }
  if (named && partitioner != comm::Partitioner::even) {
    list.push_back({"partitioner", "is given, but the groups say how the model is cut; expected no such key"});
  }
  if (partitions.adaptive) {
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
  if (partitions.automatic && !codec::has_fixed_size(codec)) {
    list.push_back(
        {"partitions",
         "\"auto\" needs to know how much is sent, which this codec leaves to the values; expected a count"});
  }
  return list;
}

bool AkoParams::accumulates() const {
  const bool encodes = !std::holds_alternative<codec::NoCodecParams>(codec);
  return partitions.adaptive ||
         (encodes && overflow == Overflow::merge && tf_ako.publish == Publish::background);  // codes cannot be added
}

// Beside the weights a worker keeps a sum of gradients for each class of peers, or each peer.
MemoryUse AkoParams::memory(const nn::Model* model, int workers) const {
  MemoryUse use = replicas(model, workers);
  const int peers = std::max(1, workers - 1);
  const int most = partitions.automatic         ? 1
                   : !partitions.groups.empty() ? static_cast<int>(partitions.groups.size())
                                                : *std::ranges::max_element(partitions.counts);
  use.vectors = accumulates() ? peers : schedule == AkoSchedule::rotate ? std::clamp(most, 1, peers) : 1;
  use.all_to_all = true;
  return use;
}

FieldValue form_of(Partitions& partitions) {
  enum Word : std::size_t { automatic, adaptive };
  WordOrField field{
      .words = {"auto", "adaptive"},
      .chosen = std::nullopt,
      .choose = [&partitions](
                    std::size_t word) { partitions = {.automatic = word == automatic, .adaptive = word == adaptive}; },
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
            if (!partitions.groups.empty()) return field_value(partitions.groups);
            return partitions.counts.size() == 1 ? field_value(partitions.counts.front())
                                                 : field_value(partitions.counts);
          },
      .is_not = "is no count",
      .expected = "expected a count, a list with one per worker, groups of names, \"auto\" or \"adaptive\"",
      .lists =
          [&partitions] {
            partitions = {};
            return field_value(partitions.groups);
          }};
  if (partitions.automatic) field.chosen = automatic;
  if (partitions.adaptive) field.chosen = adaptive;
  return {std::move(field)};
}

}  // namespace ddl::systems

#include "core/systems/ako/ako_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/comm/buckets.hpp"
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

// --- "adaptive" ---

std::optional<double> RecentRate::seconds_per_unit() const {
  double seconds = 0, amount = 0;
  for (const auto& [took, of] : recent_) seconds += took, amount += of;
  if (amount <= 0) return std::nullopt;
  return seconds / amount;
}

int adapted_partitions(int now, double exchange_s, double gradient_s, double utilisation, double most) {
  const double wanted = gradient_s > 0 ? std::min(exchange_s / (utilisation * gradient_s), most) : most;
  if (wanted <= now && wanted >= 0.9 * (now - 1)) return now;
  return static_cast<int>(std::clamp(std::ceil(wanted - 1e-9), 1.0, most));
}

std::vector<std::int64_t> cut_again(const std::vector<std::int64_t>& since, int partitions, std::size_t parameters) {
  const int old_partitions = static_cast<int>(since.size());
  std::vector<std::int64_t> result(static_cast<std::size_t>(partitions), std::numeric_limits<std::int64_t>::max());
  for (int part = 0, old = 0; part < partitions;) {
    const Slice mine = even_part(parameters, partitions, part), theirs = even_part(parameters, old_partitions, old);
    std::int64_t& oldest = result[static_cast<std::size_t>(part)];
    oldest = std::min(oldest, since[static_cast<std::size_t>(old)]);
    if (theirs.end > mine.end) {
      ++part;
    } else {
      if (theirs.end == mine.end) ++part;
      ++old;
    }
  }
  return result;
}

void MeasuredPartitions::adapt() {
  double slowest = 0;  // seconds per byte
  for (const auto& [peer, transfers] : transfers_) {
    if (node_.up(peer)) slowest = std::max(slowest, transfers.seconds_per_unit().value_or(0));
  }
  const auto gradient_s = gradients_.seconds_per_unit();
  if (slowest == 0 || !gradient_s) return;
  const Cluster& cluster = node_.cluster();
  partitions_ = adapted_partitions(partitions_, slowest * static_cast<double>(cluster.model_bytes), *gradient_s,
                                   utilisation_, most_partitions(cluster));
}

// --- before a run ---

std::vector<std::string> AkoParams::notes(const Cluster& cluster) const {
  if (!cluster.averages_updates || cluster.workers == 1) return {};
  return {
      "the optimizer's moments count updates, however many late gradients each has: with a first beta of 0, with sgd "
      "or with momentum Ako learns more"};
}

Traffic AkoParams::traffic(const Cluster& cluster) const {
  const AkoPlan plan(*this, cluster);  // throws if impossible
  if (overlap == AkoOverlap::backward) comm::expect_layers(cluster);
  const double encoded = comm::least_share(codec, cluster);
  Traffic result{Pace::overlapped, {{}}};
  // Accumulated sums are sent less often than due, so only the gradient bounds the step.
  if (!waits_to_send(*this) || cluster.workers > most_workers_all_to_all) {
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
  if (overlap == AkoOverlap::backward) {
    const std::string why = "is \"backward\" beside ";
    if (partitions.adaptive())
      list.push_back({"overlap", why + "adaptive partitions, which follow whole gradients; expected \"none\""});
    if (waits_to_send(*this)) list.push_back({"overlap", why + "a worker that waits to send; expected \"none\""});
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

NeededSlices AkoParams::needed_slices(const Surroundings&) const {
  if (apply == AkoApply::at_step) return {};
  return {Slices::any, "apply \"on_arrival\" makes a step with each part that arrives", "apply \"at_step\""};
}

// Beside its weights a worker keeps a sum of gradients for each class of peers, or for each peer.
MemoryUse AkoParams::memory(std::size_t parameters, int workers) const {
  MemoryUse use = replicas(parameters, workers);
  const int peers = std::max(1, workers - 1);
  int most = 1;
  if (const int* count = std::get_if<int>(&partitions.form)) most = *count;
  if (partitions.groups() != nullptr) most = static_cast<int>(partitions.groups()->size());
  if (partitions.counts() != nullptr) most = std::ranges::max(*partitions.counts());
  const int classes = schedule == AkoSchedule::rotate ? std::clamp(most, 1, peers) : 1;
  const int sums = waits_to_send(*this) ? classes : peers;
  use.vectors = sums + 1;  // plus the counts of received gradients per coordinate
  use.all_to_all = true;
  use.spawns_for_peers = !waits_to_send(*this);
  return use;
}

}  // namespace ddl::systems

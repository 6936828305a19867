// Every worker applies its own gradients whole, before its next step, and sends of their running sum one partition a
// round to each peer. A partition goes to a given peer every P rounds and then carries the sum since it last went, so
// every coordinate of every gradient reaches every peer exactly once, at most P-1 rounds and the journey late. The SoCC
// paper keeps a window of P gradients to the same end; sums that start again after each sending hold the same values
// without drift and need one vector per class of peers instead of P.
//
//   worker i:                                                                    [ALGORITHMS: Ako, actor form]
//     loop:  wait until no peer is more than s steps behind                      (staleness bound, if any)
//            g = gradient(x);  acc += g
//            to each peer of rank r: part k = (t + r) mod P of acc               (rotate; broadcast: t mod P)
//            clear what was sent
//            x = step(x, weight * (g + inbox));  inbox = 0                       (at_step)
//     on (j, k, v):  inbox[k] += v                                               (on_arrival: x[k] = step(x[k], v))
#include "core/algorithms/ako.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/algorithms/compression.hpp"
#include "core/algorithms/partitions.hpp"
#include "core/algorithms/vectors.hpp"

namespace ddl {
namespace {

constexpr int gradients = 0;  // the only port
enum Kind { part_of_sum, leave };

// P of a worker. "auto": the least at which one exchange fits in `utilisation` of the time it computes.
int partitions_of(const AkoParams& params, const Cluster& cluster, int worker) {
  const auto w = static_cast<std::size_t>(worker);
  const auto& counts = params.partitions.counts;
  if (!params.partitions.automatic) return counts.size() == 1 ? counts[0] : counts[w];
  const double wanted =
      least_share(params.codec, cluster) * cluster.exchange_s[w] / (params.utilisation * cluster.compute_s[w]);
  const double most = static_cast<double>(std::min<std::size_t>(cluster.parameters, 1'000'000));
  return static_cast<int>(std::clamp(std::ceil(wanted - 1e-9), 1.0, most));
}

class AkoWorker : public Program {
 public:
  AkoWorker(const AkoParams& params, Node& node)
      : node_(node), params_(params), weight_(node.cluster().gradient_weight()), random_(node.rng("codec")) {
    const Cluster& cluster = node.cluster();
    for (int worker = 0; worker < cluster.workers; ++worker) {
      const int count = partitions_of(params, cluster, worker);
      if (!cuts_.contains(count)) cuts_[count] = make_partitions(params.partitioner, count, cluster);
      if (worker != node.id()) peers_.push_back(worker);
    }
    const bool rotate = params.schedule == AkoSchedule::rotate;
    const auto classes =
        rotate ? std::min(own_partitions().size(), peers_.size()) : std::min<std::size_t>(1, peers_.size());
    const std::size_t length = cluster.timing_only ? 0 : cluster.parameters;
    unsent_.assign(classes, std::vector<float>(length));
    unsent_since_.assign(classes, std::vector<std::int64_t>(own_partitions().size()));
    inbox_.assign(length, 0);
    heard_.assign(static_cast<std::size_t>(cluster.workers), 0);
  }

  void run() override {
    if (!peers_.empty()) node_.spawn("receive", [this] { receive(); });
    while (node_.next_step()) {
      wait_for_stragglers();
      const Payload gradient = node_.gradient();
      for (auto& sum : unsent_) add_scaled(sum, values_of(gradient));
      wait_for_room();
      send_parts();
      apply(gradient);
      node_.finish_step();
    }
    if (params_.staleness_bound) {
      for (const int peer : peers_) node_.send(peer, {.port = gradients, .kind = leave});
    }
  }

 private:
  const std::vector<Partition>& partitions_from(int worker) const {
    return cuts_.at(partitions_of(params_, node_.cluster(), worker));
  }
  const std::vector<Partition>& own_partitions() const { return partitions_from(node_.id()); }

  // Stale-synchronous: go on only if every peer's messages of all but the last s steps have come.
  void wait_for_stragglers() {
    if (!params_.staleness_bound || peers_.empty()) return;
    const std::int64_t needed = node_.step() - *params_.staleness_bound;
    node_.wait_until([&] { return std::ranges::all_of(peers_, [&](int peer) { return heard_of(peer) >= needed; }); },
                     "gradients of peers (staleness bound)");
  }

  void wait_for_room() {
    if (params_.overflow == Overflow::merge) return;
    for (const int peer : peers_) node_.wait_for_room(peer, static_cast<std::size_t>(params_.queue_depth));
  }

  // Peers of one class get the same part in every round, and share one sum and one payload.
  void send_parts() {
    const auto& partitions = own_partitions();
    const auto round = static_cast<std::size_t>(node_.step());
    for (std::size_t c = 0; c < unsent_.size(); ++c) {
      const std::size_t part = (round + c) % partitions.size();
      Message message{.port = gradients,
                      .kind = part_of_sum,
                      .part = static_cast<int>(part),
                      .step = node_.step(),
                      .since = unsent_since_[c][part]};
      compressor(c, part).compress(message, gather(unsent_[c], partitions[part]));
      for (std::size_t rank = c; rank < peers_.size(); rank += class_stride()) send_part(peers_[rank], message);
      fill_zero(unsent_[c], partitions[part]);
      unsent_since_[c][part] = node_.step() + 1;
    }
  }

  std::size_t class_stride() const { return params_.schedule == AkoSchedule::rotate ? own_partitions().size() : 1; }

  Compressor& compressor(std::size_t peer_class, std::size_t part) {
    const auto key = std::pair(peer_class, part);
    const auto found = compressors_.find(key);
    if (found != compressors_.end()) return found->second;
    const Partition& partition = own_partitions()[part];
    return compressors_.emplace(key, Compressor(params_.codec, node_.cluster(), partition, Stream(random_.bits())))
        .first->second;
  }

  void send_part(int peer, const Message& message) {
    const bool full = node_.waiting(peer) >= static_cast<std::size_t>(params_.queue_depth);
    if (params_.overflow == Overflow::merge && full && node_.merge_into_waiting(peer, message)) return;
    node_.send(peer, message);
  }

  void apply(const Payload& gradient) {
    update_.assign(inbox_.begin(), inbox_.end());
    add_scaled(update_, values_of(gradient));
    for (float& value : update_) value *= weight_;
    fill_zero(std::span<float>(inbox_));
    node_.record_staleness(node_.id(), node_.step(), gradients_merged_ == 0 ? 0 : age_ / gradients_merged_);
    gradients_merged_ = age_ = 0;
    node_.apply(update_);
  }

  void receive() {
    while (true) {
      const Message message = node_.receive(gradients);
      auto& heard = heard_[static_cast<std::size_t>(message.source)];
      if (message.kind == leave) {
        heard = std::numeric_limits<std::int64_t>::max();
      } else {
        heard = std::max(heard, message.step + 1);  // a merged message is ahead of those behind it
        note_age(message);
        take(message);
      }
      node_.changed();
    }
  }

  // Own steps since each gradient of the sum was made.
  void note_age(const Message& message) {
    for (std::int64_t made = message.since; made <= message.step; ++made) {
      age_ += static_cast<double>(std::max<std::int64_t>(0, node_.step() - made));
      gradients_merged_ += 1;
    }
  }

  void take(const Message& message) {
    const auto& partition = partitions_from(message.source)[static_cast<std::size_t>(message.part)];
    scatter(partition, message.values, [&](Slice slice, std::span<const float> values) {
      if (params_.apply == AkoApply::at_step) {
        add_scaled(part_of(std::span<float>(inbox_), slice), values);
      } else {
        update_.assign(values.begin(), values.end());
        for (float& value : update_) value *= weight_;
        node_.apply_slice(slice, update_);
      }
    });
  }

  std::int64_t heard_of(int peer) const { return heard_[static_cast<std::size_t>(peer)]; }

  Node& node_;
  const AkoParams params_;
  const float weight_;
  std::vector<int> peers_;                               // in order of id
  std::map<int, std::vector<Partition>> cuts_;           // by P: receivers cut as senders do
  std::vector<std::vector<float>> unsent_;               // per class of peers: gradients summed since they were sent
  std::vector<std::vector<std::int64_t>> unsent_since_;  // and per part: the step of the oldest of them
  Stream random_;
  std::map<std::pair<std::size_t, std::size_t>, Compressor> compressors_;  // by class of peers and part
  std::vector<float> inbox_;                                               // gradients of others, not yet applied
  std::vector<std::int64_t> heard_;                                        // steps heard of, per worker
  std::vector<float> update_;
  double gradients_merged_ = 0, age_ = 0;  // gradients taken since the last step, and their age in steps
};

}  // namespace

std::unique_ptr<Program> make_program(const AkoParams& params, Node& node) {
  return std::make_unique<AkoWorker>(params, node);
}

Traffic traffic_of(const AkoParams& params, const Cluster& cluster) {
  Traffic result{Pace::overlapped, {{}}};
  const double encoded = least_share(params.codec, cluster);
  for (int source = 0; source < cluster.workers; ++source) {
    const int partitions = partitions_of(params, cluster, source);
    make_partitions(params.partitioner, partitions, cluster);  // says now if that is impossible
    // Merged messages send less than their due, so nothing bounds the step but its gradient.
    if (params.overflow == Overflow::merge || cluster.workers > most_workers_all_to_all) continue;
    for (int target = 0; target < cluster.workers; ++target) {
      if (source != target) result.phases[0].push_back({source, target, encoded / partitions});
    }
  }
  return result;
}

}  // namespace ddl

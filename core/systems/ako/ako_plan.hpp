// The number of partitions of an Ako worker's vector, and the part that each peer gets in a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/per_node.hpp"
#include "core/comm/partitions.hpp"
#include "core/node/node.hpp"
#include "core/systems/ako/ako.hpp"

namespace ddl::systems {

// P of a worker, the first one with "adaptive". "auto": the least P at which one exchange fits in `utilisation` of the
// computing time.
int partitions_of(const AkoParams& params, const Cluster& cluster, int worker);

double most_partitions(const Cluster& cluster);

// The part whose turn it is in a step. Each round begins with `first`.
inline std::size_t part_of_step(std::int64_t step, std::size_t first, std::size_t partitions) {
  return (static_cast<std::size_t>(step) + first) % partitions;
}

// Every worker's partitions, known to all.
class AkoPlan {
 public:
  // Throws InputError if the vector cannot be cut so.
  AkoPlan(const AkoParams& params, const Cluster& cluster);

  const std::vector<comm::Partition>& partitions(int worker) const { return cuts_.at(counts_[worker]); }
  // The slices of part `part` when the worker cuts the vector into `of` partitions.
  comm::Partition cut(int worker, int part, int of) const;
  // Peers are numbered from 0 in the order of their ids, and the class of the k-th is k mod P (with broadcast, 0).
  // Peers of one class get the same part in every step.
  std::size_t classes(int source) const;
  std::size_t class_of(int source, int target) const;
  std::size_t part(int source, std::size_t peer_class, std::int64_t step) const {
    return part_of_step(step, peer_class, partitions(source).size());
  }

 private:
  const bool rotates_, adaptive_;
  const std::size_t parameters_;
  PerNode<int> counts_;                               // P, per worker
  std::map<int, std::vector<comm::Partition>> cuts_;  // by P
};

// --- "adaptive": P follows the network's speed ---

// Rate over the last few transfers or gradients.
class RecentRate {
 public:
  void add(double seconds, double amount) {
    recent_.push_back({seconds, amount});
    if (recent_.size() > most) recent_.pop_front();
  }
  // Nothing before the first sample.
  std::optional<double> seconds_per_unit() const;

 private:
  static constexpr std::size_t most = 8;
  std::deque<std::pair<double, double>> recent_;
};

// P by the paper's rule, P = ceil(T / (utilisation c)), where T is the measured time of a whole model to the slowest
// peer and c that of a gradient. A P that is less than a tenth too large is kept, so that noise in T and c does not
// make it swing.
int adapted_partitions(int now, double exchange_s, double gradient_s, double utilisation, double most);

// Steps of the oldest gradient per part after the vector is cut into `partitions` even parts: the oldest among the old
// parts that overlap it.
std::vector<std::int64_t> cut_again(const std::vector<std::int64_t>& since, int partitions, std::size_t parameters);

// A worker's measurements of its gradients and its transfers to each peer, and the P that follows.
class MeasuredPartitions {
 public:
  MeasuredPartitions(Node& node, double utilisation, int partitions)
      : node_(node), utilisation_(utilisation), partitions_(partitions) {}

  void note_gradient(double seconds) { gradients_.add(seconds, 1); }
  // `seconds` without the latency. Ignores transfers to peers that are down.
  void note_transfer(int peer, double seconds, double bytes) {
    if (node_.up(peer)) transfers_[peer].add(seconds, bytes);
  }
  // Sets P from the measurements of peers that are up; keeps it while there are too few.
  void adapt();
  int partitions() const { return partitions_; }

 private:
  Node& node_;
  const double utilisation_;
  int partitions_;
  RecentRate gradients_;
  std::map<int, RecentRate> transfers_;  // by peer
};

}  // namespace ddl::systems

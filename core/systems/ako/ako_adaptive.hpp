// How many partitions an Ako worker makes when P follows what the network takes ("adaptive").
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/node/node.hpp"

namespace ddl::systems {

// Sums over the last few transfers, or gradients.
class RecentRate {
 public:
  void add(double seconds, double amount) {
    recent_.push_back({seconds, amount});
    if (recent_.size() > most) recent_.pop_front();
  }
  // Nothing before the first.
  std::optional<double> seconds_per_unit() const;

 private:
  static constexpr std::size_t most = 8;
  std::deque<std::pair<double, double>> recent_;
};

// The partitions that the paper's rule gives, P = ceil(T / (utilisation c)), where T is the measured time of a whole
// model to the slowest peer and c that of a gradient. Less than a tenth too many is kept, so that noise in T and c does
// not make P swing.
int adapted_partitions(int now, double exchange_s, double gradient_s, double utilisation, double most);

// By even part, the step of its oldest gradient, when the vector is cut into another number of parts: the oldest of the
// old parts that it has coordinates of.
std::vector<std::int64_t> cut_again(const std::vector<std::int64_t>& since, int partitions, std::size_t parameters);

// What a worker measures of its gradients and of its transfers to each peer, and the P that follows from it.
class AdaptivePartitions {
 public:
  AdaptivePartitions(Node& node, double utilisation, int partitions)
      : node_(node), utilisation_(utilisation), partitions_(partitions) {}

  void note_gradient(double seconds) { gradients_.add(seconds, 1); }
  // Without the latency. What was sent to a peer that is not up says nothing.
  void note_transfer(int peer, double seconds, double bytes) {
    if (node_.up(peer)) transfers_[peer].add(seconds, bytes);
  }
  // From what was noted, of the peers that are up; as before while that is too little.
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

// What every Ako worker knows of every other: how it cuts the vector, and which part it sends to which peer in a
// step.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/comm/partitions.hpp"
#include "core/systems/ako/ako.hpp"

namespace ddl::systems {

// P of a worker, with which "adaptive" begins. "auto": the least at which one exchange fits in `utilisation` of the
// time it computes.
int partitions_of(const AkoParams& params, const Cluster& cluster, int worker);

double most_partitions(const Cluster& cluster);

class AkoPlan {
 public:
  // Throws InputError when the vector cannot be cut so.
  AkoPlan(const AkoParams& params, const Cluster& cluster);

  const std::vector<comm::Partition>& partitions(int worker) const {
    return cuts_.at(counts_[static_cast<std::size_t>(worker)]);
  }
  // The slices that a part of so many partitions of a worker has.
  comm::Partition cut(int worker, int part, int of) const;
  // Peers are numbered from 0 in the order of their ids, and the class of the k-th is k mod P (with broadcast, 0).
  // Peers of one class get the same part in every step.
  std::size_t classes(int source) const;
  std::size_t class_of(int source, int target) const;
  std::size_t part(int source, std::size_t peer_class, std::int64_t step) const {
    return (static_cast<std::size_t>(step) + peer_class) % partitions(source).size();
  }

 private:
  const bool rotates_, adaptive_;
  const std::size_t parameters_;
  std::vector<int> counts_;                           // P, per worker
  std::map<int, std::vector<comm::Partition>> cuts_;  // by P
};

}  // namespace ddl::systems

// When the fragments of DiLoCo are sent and applied. Round k = 0, 1, ... sends one fragment, at the boundary after step
// (k + 1) H / P (rounded down): fragment k + 1 mod P in the paper, k mod P in torchft. A fragment travels whole, or
// bucket by bucket of layers. All of this is known before a run begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/comm/buckets.hpp"
#include "core/comm/partitions.hpp"
#include "core/node/cluster.hpp"
#include "core/systems/diloco/diloco.hpp"

namespace ddl::systems {

// The part of a fragment that one sum carries: a bucket of layers; or, without layers, a whole fragment.
struct Unit : comm::Bucket {
  std::size_t number = 0;  // among all units
};

// One unit's sum in one round.
struct Turn {
  std::int64_t round = 0;
  std::int64_t sum = 0;  // its number among all sums, in the order in which they are sent
  const Unit* unit = nullptr;
  bool is_last = false;  // in its round
};

class FragmentSchedule {
 public:
  FragmentSchedule(const DilocoParams& params, const Cluster& cluster);

  bool is_by_layers() const { return is_by_layers_; }
  std::vector<comm::Partition> parts() const;  // all units', by their numbers
  // The units of a round in the order in which they are sent, which is that of a backward pass.
  std::span<const Unit> units(std::int64_t round) const { return fragments_[fragment(round)]; }

  Turn sent(std::int64_t n) const;     // the n-th unit that is sent, from 0
  Turn applied(std::int64_t n) const;  // and that is applied: a forward pass needs what was sent last first
  std::int64_t first_sum(std::int64_t round) const;
  std::int64_t sums_of_a_cycle() const { return first_sums_.back(); }  // over P rounds

  // Steps after which a round is sent, and applied.
  std::int64_t sent_after(std::int64_t round) const;
  std::int64_t applied_after(std::int64_t round) const;

 private:
  std::size_t fragment(std::int64_t round) const;
  std::int64_t round_of_sum(std::int64_t sum) const;
  std::int64_t boundary(std::int64_t round) const;

  std::int64_t steps_, fragment_count_, delay_;
  bool is_paper_, is_eager_, is_by_layers_;
  std::vector<std::vector<Unit>> fragments_;
  std::vector<std::int64_t> first_sums_;  // by round of a cycle; the last is the next cycle's
};

// True if fragments travel by layers.
bool is_by_layers(const DilocoParams& params, const Cluster& cluster);
// "24 layers travel in 3 buckets, ...", if they do.
std::string buckets_text(const DilocoParams& params, const Cluster& cluster);

}  // namespace ddl::systems

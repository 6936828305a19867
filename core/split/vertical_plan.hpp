// Each worker's computation and messages in a vertical split: for a model, or for a timing-only one with given sizes.
#pragma once

#include <optional>
#include <vector>

#include "core/base/per_node.hpp"
#include "core/split/vertical.hpp"
#include "core/split/vertical_split.hpp"

namespace ddl::split {

class VerticalPlan {
 public:
  // `model` is null when timing only. Throws InputError if it cannot be split so.
  VerticalPlan(const VerticalParams& params, const nn::Model* model, const Cluster& cluster);

  const std::optional<VerticalSplit>& split() const { return split_; }  // none: timing only
  std::size_t meetings() const { return bytes_.size(); }
  std::size_t stages() const { return meetings() + 1; }
  // A worker's share of a whole gradient's operations in the forward pass of a stage. The backward pass takes twice as
  // much.
  double share(int worker, std::size_t stage) const { return shares_[worker][stage]; }
  // The size of a worker's piece for `samples` samples.
  std::uint64_t piece_bytes(std::size_t meeting, int worker, int samples) const;
  // All bytes sent for one request at worker 0 with a sample of `sample_bytes`.
  double request_bytes(double sample_bytes) const;

 private:
  std::optional<VerticalSplit> split_;
  PerNode<std::vector<double>> shares_;  // by worker, stage
  std::vector<PerNode<double>> bytes_;   // per sample; by meeting, worker
};

}  // namespace ddl::split

// What each worker computes and sends in a vertical split: of a model, or of a timing-only one with given sizes.
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
  // Of a whole gradient's operations, a worker's part in the forward pass of a stage. Backwards it is twice as much.
  double share(int worker, std::size_t stage) const { return shares_[worker][stage]; }
  // A worker's piece of `samples` samples.
  std::uint64_t piece_bytes(std::size_t meeting, int worker, int samples) const;
  // Of one request at worker 0, whose sample has so many bytes: all that is sent.
  double request_bytes(double sample_bytes) const;

 private:
  std::optional<VerticalSplit> split_;
  PerNode<std::vector<double>> shares_;  // by worker, stage
  std::vector<PerNode<double>> bytes_;   // by meeting, worker; of one sample
};

}  // namespace ddl::split

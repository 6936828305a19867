// A model replica with what training keeps beside its weights. Weights are copied only when they must be.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/nn/optimizer.hpp"
#include "core/nn/schedule.hpp"
#include "core/node/message.hpp"

namespace ddl {

// Snapshots share the replica's memory; the next write copies it if a snapshot is still held. Only the simulation's
// thread takes and drops snapshots, so when copies are made is as deterministic as the run.
class Weights {
 public:
  Weights() = default;  // empty: timing only
  explicit Weights(Payload values, const nn::OptimizerParams& optimizer = {})
      : values_(std::move(values)), optimizer_params_(optimizer) {}

  std::span<const float> read() const { return values_ ? std::span<const float>(*values_) : std::span<const float>(); }
  Payload snapshot() const { return values_; }

  // Becomes these values without copying them.
  void adopt(Payload values) {
    values_ = std::move(values);
    own_ = nullptr;
  }

  // How far they have been trained: what the learning rate follows.
  nn::ModelSteps& steps() { return steps_; }
  nn::Optimizer& optimizer();

  // The weights, their steps and what the optimizer keeps, as they travel to a node that lacks them: of
  // Cluster::replica_bytes on the wire, null when timing only.
  Payload replica();
  // Becomes another's.
  void adopt_replica(const Payload& replica);

  // Valid until the next snapshot or suspension point.
  std::span<float> write() {
    if (!values_) return {};
    if (own_ == nullptr || values_.use_count() > 1) {
      auto copy = std::make_shared<std::vector<float>>(*values_);
      own_ = copy.get();
      values_ = std::move(copy);
    }
    return *own_;
  }

 private:
  Payload values_;
  nn::ModelSteps steps_;
  nn::OptimizerParams optimizer_params_;
  std::optional<nn::Optimizer> optimizer_;  // made when first used: a worker of a parameter server needs none
  std::vector<float>* own_ = nullptr;       // the same memory, if it is this replica's to write
};

}  // namespace ddl

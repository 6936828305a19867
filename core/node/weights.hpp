// A model replica with what training keeps beside its weights. Weights are copied only when they must be.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/model_steps.hpp"
#include "core/node/message.hpp"

namespace ddl {

namespace nn {
class Optimizer;
}

// Snapshots share the replica's memory; the next write copies it if a snapshot is still held. Only the simulation's
// thread takes and drops snapshots, so when copies are made is as deterministic as the run.
class Weights {
 public:
  Weights() = default;  // empty: timing only
  // `optimizer` is for so many values; null where none is used.
  explicit Weights(Payload values, std::shared_ptr<nn::Optimizer> optimizer = nullptr)
      : values_(std::move(values)), optimizer_(std::move(optimizer)) {}
  Weights(Weights&&) = default;
  Weights& operator=(Weights&&) = default;

  std::span<const float> read() const { return values_ ? std::span<const float>(*values_) : std::span<const float>(); }
  Payload snapshot() const { return values_; }

  // Becomes these values without copying them.
  void adopt(Payload values) {
    values_ = std::move(values);
    own_ = nullptr;
  }

  // How far they have been trained: what the learning rate follows.
  ModelSteps& steps() { return steps_; }
  nn::Optimizer& optimizer() { return *optimizer_; }

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
  ModelSteps steps_;
  std::shared_ptr<nn::Optimizer> optimizer_;  // no other replica's
  std::vector<float>* own_ = nullptr;         // the same memory, if it is this replica's to write
};

}  // namespace ddl

// A model replica with the state that training keeps beside its weights. Weights are copied only when necessary.
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
// thread takes and drops snapshots, so copies are as deterministic as the run.
class Weights {
 public:
  Weights() = default;  // empty: timing only
  // `optimizer` is for vectors of this length; null if unused.
  explicit Weights(Payload values, std::shared_ptr<nn::Optimizer> optimizer = nullptr)
      : values_(std::move(values)), optimizer_(std::move(optimizer)) {}
  Weights(Weights&&) = default;
  Weights& operator=(Weights&&) = default;

  std::span<const float> read() const { return values_ ? std::span<const float>(*values_) : std::span<const float>(); }
  Payload snapshot() const { return values_; }

  // Takes over these values without a copy.
  void adopt(Payload values) {
    values_ = std::move(values);
    own_ = nullptr;
  }

  // Steps trained so far; the learning rate follows them.
  ModelSteps& steps() { return steps_; }
  nn::Optimizer& optimizer() { return *optimizer_; }

  // The weights, their steps and the optimizer's state, for a node that lacks them: Cluster::replica_bytes on the wire,
  // null when timing only.
  Payload replica();
  // Takes over another's.
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
  std::shared_ptr<nn::Optimizer> optimizer_;  // never shared with another replica
  std::vector<float>* own_ = nullptr;         // the same memory, if this replica may write it
};

}  // namespace ddl

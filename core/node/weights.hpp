// A model replica, copied only when it must be.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/nn/schedule.hpp"
#include "core/node/message.hpp"

namespace ddl {

// Snapshots share the replica's memory; the next write copies it if a snapshot is still held. Only the simulation's
// thread takes and drops snapshots, so when copies are made is as deterministic as the run.
class Weights {
 public:
  Weights() = default;  // empty: timing only
  explicit Weights(Payload values) : values_(std::move(values)) {}

  std::span<const float> read() const { return values_ ? std::span<const float>(*values_) : std::span<const float>(); }
  Payload snapshot() const { return values_; }

  // Becomes these values without copying them.
  void adopt(Payload values) {
    values_ = std::move(values);
    own_ = nullptr;
  }

  // How far they have been trained: what the learning rate follows.
  nn::ModelSteps& steps() { return steps_; }

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
  std::vector<float>* own_ = nullptr;  // the same memory, if it is this replica's to write
};

}  // namespace ddl

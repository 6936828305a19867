// A worker's last gradient until exchanges may see it, and the model that the worker uses meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "core/node/node.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {

class PendingGradient {
 public:
  explicit PendingGradient(Node& node) : node_(node) {}

  bool empty() const { return !pending_; }
  // Averagings and updates of the worker's model so far.
  std::int64_t changes() const { return changes_; }

  // Puts the present step's gradient; the model had `changes_before` changes when its computation began. Must be
  // empty().
  void put(Gradient gradient, std::int64_t changes_before) {
    pending_ = {std::move(gradient), node_.step(), changes_before};
  }

  // Applies the gradient to the worker's own model; averagings still use the model without it.
  void apply_for_worker() {
    without_ = node_.weights().snapshot();
    apply();
  }

  // Applies it for averagings, too; then the next one may be put.
  void apply_for_all() {
    if (!without_) apply();
    without_.reset();
    pending_.reset();
  }

  // The model that averagings see: without a gradient that only the worker has.
  Payload model() const { return without_ ? *without_ : node_.weights().snapshot(); }

  // model() becomes its mean with `other`; at most once before apply_for_all().
  void average_with(const Payload& other) {
    const std::span<float> weights = node_.weights().write();
    if (without_) {
      add_scaled(weights, values_of(other), 0.5f);
      add_scaled(weights, values_of(*without_), -0.5f);
    } else {
      blend(weights, values_of(other), 0.5f);
    }
    ++changes_;
  }

 private:
  void apply() {
    node_.record(Staleness{node_.id(), pending_->step, static_cast<double>(changes_ - pending_->changes_before)});
    node_.apply(pending_->gradient);
    ++changes_;
  }

  struct Pending {
    Gradient gradient;
    std::int64_t step;            // the worker's, when it was computed
    std::int64_t changes_before;  // the model's, when its computation began
  };

  Node& node_;
  std::optional<Pending> pending_;
  std::optional<Payload> without_;  // the model without the gradient, while only the worker has it
  std::int64_t changes_ = 0;
};

}  // namespace ddl::systems

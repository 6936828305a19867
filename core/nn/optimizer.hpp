// Optimizers over a flat parameter vector, or over one server's slice of it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/nn/optimizer_params.hpp"

namespace ddl::nn {

class Optimizer {
 public:
  // For vectors of `count` values. State (velocity, moments) starts at zero.
  Optimizer(const OptimizerParams& params, std::size_t count);

  // parameters -= rate(t) * direction(gradient), t counting the calls. Both spans `count` long.
  void step(std::span<float> parameters, std::span<const float> gradient);

  // Whether the update of a coordinate depends only on its gradient and weight in the same call, so that slices can be
  // applied one by one as they arrive (plain SGD with a constant rate).
  static bool is_stateless(const OptimizerParams& params);

  // Stateless optimizers only: updates a slice at the base rate.
  void step_slice(std::span<float> parameters, std::span<const float> gradient) const;

 private:
  OptimizerParams params_;
  std::int64_t steps_ = 0;
  std::vector<float> first_, second_;  // velocity or first moment; second moment
};

// The learning rate of step t (0, 1, ...).
double learning_rate_at(const RateParams& params, std::int64_t step);

}  // namespace ddl::nn

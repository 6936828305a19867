// Optimizers over a flat parameter vector, or over one server's slice of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/shape.hpp"
#include "core/base/slices.hpp"
#include "core/nn/optimizer_params.hpp"

namespace ddl::nn {

const RateParams& rate_params(const OptimizerParams& params);

// The input of an optimizer step. `gradient` is a weighted sum of gradients; `weight` is the sum of their weights. The
// step is that of the mean gradient (gradient / weight + L2 term), times the weight, so that the weight also takes
// effect in optimizers that undo a scale of their input, such as Adam.
struct WeightedGradient {
  std::span<const float> gradient;
  float weight = 1;                          // total, above 0
  std::span<const float> weights = {};       // weight per coordinate, in place of `weight`
  std::span<const float> penalised_at = {};  // where penalties are computed; empty: at the parameters
};

class Optimizer {
 public:
  // For vectors of `count` values. State (velocity, moments) starts at zero, and is allocated on first use: a worker of
  // a parameter server needs none.
  // `matrices`: those in the vector, ascending, or the parts of them; for settings that treat them differently.
  Optimizer(const OptimizerParams& params, std::size_t count, std::vector<Matrix> matrices = {});
  // One of the same settings that has made no step.
  Optimizer unused() const { return {params_, count_, matrices_}; }

  // parameters -= rate * weight * direction(mean gradient). All spans are `count` long.
  void step(std::span<float> parameters, const WeightedGradient& gradient, double rate);

  // True if its direction is a mean over past updates, each of which counts alike whatever its weight.
  static bool averages_updates(const OptimizerParams& params);
  // The slices in which these settings allow a step.
  static Slices slices(const OptimizerParams& params);
  // Updates the slice at `first`; call end_slices() after the last slice of a step. `updates`: the slice's earlier
  // updates, if it counts its own; then do not call end_slices().
  void step_slice(std::span<float> parameters, std::size_t first, const WeightedGradient& gradient, double rate,
                  std::optional<std::int64_t> updates = std::nullopt);
  void end_slices() { ++steps_; }

  // The optimizer's state packed into a vector that travels: 0, 1 or 2 vectors of `count` values, and the number of
  // steps.
  static int kept_vectors(const OptimizerParams& params);
  void pack(std::vector<float>& into) const;
  void unpack(std::span<const float> values);

 private:
  void make_state();
  // Steps the slice at `first`, piece by piece where matrices are treated differently.
  void update(std::span<float> parameters, std::size_t first, const WeightedGradient& gradient, double rate,
              std::int64_t step);
  // The same with the mean gradient made clip_norm long, if it is longer.
  WeightedGradient clipped(const WeightedGradient& gradient);

  OptimizerParams params_;
  std::size_t count_;
  std::vector<Matrix> matrices_;
  std::int64_t steps_ = 0;             // steps made; Adam corrects its moments' bias by them
  std::vector<float> first_, second_;  // velocity or first moment; second moment
  std::vector<float> clipped_;         // empty while no gradient was too long
};

}  // namespace ddl::nn

// Optimizers over a flat parameter vector, or over one server's slice of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/slices.hpp"
#include "core/nn/optimizer_params.hpp"

namespace ddl::nn {

const RateParams& rate_params(const OptimizerParams& params);

// What an optimizer step is made of. `gradient` is a sum of gradients in which each has a weight; the weight of the
// whole is the sum of theirs. The step is that of the mean gradient (gradient / weight + L2's part), times the weight:
// optimizers that undo a scale of their input, as Adam does, take it all the same.
struct WeightedGradient {
  std::span<const float> gradient;
  float weight = 1;                          // above 0
  std::span<const float> weights = {};       // instead, if it differs by coordinate
  std::span<const float> penalised_at = {};  // where penalties are taken; empty: at the parameters
};

class Optimizer {
 public:
  // For vectors of `count` values. State (velocity, moments) starts at zero, and takes memory once it is used: a worker
  // of a parameter server needs none.
  Optimizer(const OptimizerParams& params, std::size_t count);

  // parameters -= rate * weight * direction(mean gradient). All spans `count` long.
  void step(std::span<float> parameters, const WeightedGradient& gradient, double rate);

  // In what pieces these settings let a step be made.
  static Slices slices(const OptimizerParams& params);
  // Updates the slice that begins at `first`; after the last one of a step, end_slices(). `updates`: that the slice has
  // had, if it counts its own; then there is no end_slices().
  void step_slice(std::span<float> parameters, std::size_t first, const WeightedGradient& gradient, double rate,
                  std::optional<std::int64_t> updates = std::nullopt);
  void end_slices() { ++steps_; }

  // What it keeps, as values of a vector that travels: 0, 1 or 2 vectors of `count` values, and how many steps it made.
  static int kept_vectors(const OptimizerParams& params);
  void pack(std::vector<float>& into) const;
  void unpack(std::span<const float> values);

 private:
  void make_state();
  // The same with the mean gradient made clip_norm long, if it is longer.
  WeightedGradient clipped(const WeightedGradient& gradient);

  OptimizerParams params_;
  std::size_t count_;
  std::int64_t steps_ = 0;             // made: what Adam corrects its moments' bias by
  std::vector<float> first_, second_;  // velocity or first moment; second moment
  std::vector<float> clipped_;         // empty while no gradient was too long
};

}  // namespace ddl::nn

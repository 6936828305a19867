// Settings of the optimizers and learning-rate schedules.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "core/base/fields.hpp"

namespace ddl::nn {

// The learning rate at step t (0, 1, ...) is base * factor(t).
struct ConstantRate {
  static constexpr const char* tag = "constant";
  static constexpr bool tag_optional = true;
};
struct StepRate {  // multiplied by `factor` at each of the steps in `at`
  static constexpr const char* tag = "steps";
  std::vector<std::int64_t> at;
  double factor = 0.1;
};
struct CosineRate {  // half a cosine from 1 down to `floor` over `steps`
  static constexpr const char* tag = "cosine";
  std::int64_t steps = 1000;
  double floor = 0;
};
using RateSchedule = std::variant<ConstantRate, StepRate, CosineRate>;

struct RateParams {
  double learning_rate = 0.1;
  double weight_decay = 0;        // L2: added to the gradient as weight_decay * w
  std::int64_t warmup_steps = 0;  // the first steps take the share (t + 1) / warmup_steps of the rate
  RateSchedule schedule;
};
struct SgdParams : RateParams {
  static constexpr const char* tag = "sgd";
  static constexpr bool tag_optional = true;
};
struct MomentumParams : RateParams {  // v = mu v + g; w -= rate v
  static constexpr const char* tag = "momentum";
  double momentum = 0.9;
};
struct NesterovParams : RateParams {  // v = mu v + g; w -= rate (g + mu v)
  static constexpr const char* tag = "nesterov";
  double momentum = 0.9;
};
struct AdamParams : RateParams {  // Kingma and Ba, 2015, with bias correction
  static constexpr const char* tag = "adam";
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  AdamParams() { learning_rate = 0.001; }
};
using OptimizerParams = std::variant<SgdParams, MomentumParams, NesterovParams, AdamParams>;

template <class Visitor>
void fields(Visitor&, ConstantRate&) {}
template <class Visitor>
void fields(Visitor& visit, StepRate& schedule) {
  visit("at", schedule.at, Rule{.doc = "steps at which the rate changes", .at_least = 0});
  visit("factor", schedule.factor, Rule{.doc = "what it is multiplied by", .above = 0});
}
template <class Visitor>
void fields(Visitor& visit, CosineRate& schedule) {
  visit("steps", schedule.steps, Rule{.doc = "steps until the floor", .at_least = 1});
  visit("floor", schedule.floor, Rule{.doc = "final share of the rate", .at_least = 0, .at_most = 1});
}
template <class Visitor>
void rate_fields(Visitor& visit, RateParams& params) {
  visit("learning_rate", params.learning_rate, Rule{.doc = "step size", .above = 0});
  visit("weight_decay", params.weight_decay, Rule{.doc = "L2 penalty", .at_least = 0});
  visit("warmup_steps", params.warmup_steps, Rule{.doc = "steps of linear warm-up", .at_least = 0});
  visit("schedule", params.schedule, Rule{.doc = "how the rate changes over steps"});
}
template <class Visitor>
void fields(Visitor& visit, SgdParams& params) {
  rate_fields(visit, params);
}
template <class Visitor>
void fields(Visitor& visit, MomentumParams& params) {
  rate_fields(visit, params);
  visit("momentum", params.momentum, Rule{.doc = "share of the velocity kept", .at_least = 0, .below = 1});
}
template <class Visitor>
void fields(Visitor& visit, NesterovParams& params) {
  rate_fields(visit, params);
  visit("momentum", params.momentum, Rule{.doc = "share of the velocity kept", .at_least = 0, .below = 1});
}
template <class Visitor>
void fields(Visitor& visit, AdamParams& params) {
  rate_fields(visit, params);
  visit("beta1", params.beta1, Rule{.doc = "decay of the first moment", .at_least = 0, .below = 1});
  visit("beta2", params.beta2, Rule{.doc = "decay of the second moment", .at_least = 0, .below = 1});
  visit("epsilon", params.epsilon, Rule{.doc = "added to the root of the second moment", .above = 0});
}

}  // namespace ddl::nn

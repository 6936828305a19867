// Settings of the optimizers and learning-rate schedules.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "core/base/fields.hpp"

namespace ddl::nn {

// The learning rate from step t = 0 on: see learning_rate() in core/nn/schedule.hpp.
struct ConstantRate {
  static constexpr const char* tag = "constant";
  static constexpr bool tag_optional = true;
};
struct StepRate {  // multiplied by `factor` at each of the steps in `at`
  static constexpr const char* tag = "steps";
  std::vector<std::int64_t> at;
  double factor = 0.1;
};
struct CosineRate {  // after warm-up, half a cosine from 1 down to `floor`
  static constexpr const char* tag = "cosine";
  std::optional<std::int64_t> steps;  // length of the decay, counted from the first step; none: the whole run
  double floor = 0;
};
using RateSchedule = std::variant<ConstantRate, StepRate, CosineRate>;

struct RateParams {
  double learning_rate = 0.1;
  double weight_decay = 0;          // L2: adds weight_decay * w to each gradient
  std::optional<double> clip_norm;  // a longer mean gradient, without L2's part, is made this long
  std::int64_t warmup_steps = 0;    // w: step t < w takes the share (t + 1) / (w + 1) of the rate
  RateSchedule schedule;
};
struct SgdParams : RateParams {
  static constexpr const char* tag = "sgd";
  static constexpr const char* what = "w -= rate g";
  static constexpr bool tag_optional = true;
};
struct MomentumParams : RateParams {
  static constexpr const char* tag = "momentum";
  static constexpr const char* what = "v = mu v + g; w -= rate v";
  double momentum = 0.9;
};
struct NesterovParams : RateParams {
  static constexpr const char* tag = "nesterov";
  static constexpr const char* what = "v = mu v + g; w -= rate (g + mu v)";
  double momentum = 0.9;
};
struct AdamParams : RateParams {  // Kingma and Ba, 2015
  static constexpr const char* tag = "adam";
  static constexpr const char* what = "moments of the gradient, with bias correction";
  std::vector<double> betas = {0.9, 0.999};  // two: decay of the first and second moment
  double epsilon = 1e-8;
  AdamParams() { learning_rate = 0.001; }
};
// The weights that adamw's decay is for: all (PyTorch's), or those of tensors of two or more dimensions (usual in
// language models).
enum class Decays { all, matrices };
constexpr auto enum_names(Decays) { return in_order<Decays>("all", "matrices"); }
// Loshchilov and Hutter, ICLR 2019: weight_decay is not part of the gradient, but shrinks every weight beside the step:
// w -= rate weight_decay w, with the w at which the gradient was taken, like other penalties.
struct AdamWParams : AdamParams {
  static constexpr const char* tag = "adamw";
  static constexpr const char* what = "adam; weight decay takes its share of weights, not of gradients";
  std::optional<Decays> decays;  // none: matrices for a language model, else all
  AdamWParams() { weight_decay = 0.01; }
};
// Jordan et al., 2024 (kellerjordan.github.io/posts/muon): the velocity of a hidden layer's matrix is made orthogonal
// before it is applied. All else takes steps of adamw, with a rate of its own.
struct MuonParams : AdamWParams {
  static constexpr const char* tag = "muon";
  static constexpr const char* what = "hidden matrices: orthogonalised Nesterov momentum; the rest: adamw";
  double momentum = 0.95;
  double adamw_learning_rate = 0.001;
  MuonParams() {
    learning_rate = 0.02;
    betas = {0.9, 0.99};
    decays = Decays::matrices;
  }
};
using OptimizerParams = std::variant<SgdParams, MomentumParams, NesterovParams, AdamParams, AdamWParams, MuonParams>;

template <class Visitor>
void fields(Visitor&, ConstantRate&) {}
template <class Visitor>
void fields(Visitor& visit, StepRate& schedule) {
  visit("at", schedule.at, Rule{.doc = "steps at which the rate changes", .at_least = 0});
  visit("factor", schedule.factor, Rule{.doc = "what it is multiplied by", .above = 0});
}
template <class Visitor>
void fields(Visitor& visit, CosineRate& schedule) {
  visit("steps", schedule.steps,
        Rule{.doc = "the step at which the rate is down, counted from the first; default: the end of the run",
             .at_least = 1});
  visit("floor", schedule.floor, Rule{.doc = "final share of the rate", .at_least = 0, .at_most = 1});
}
template <class Visitor>
void rate_fields(Visitor& visit, RateParams& params) {
  visit("learning_rate", params.learning_rate, Rule{.doc = "step size", .above = 0});
  visit(
      "weight_decay", params.weight_decay,
      Rule{.doc = "L2 penalty: adds so many times the weights to each gradient; adamw: takes the rate times so much of "
                  "every weight instead",
           .at_least = 0});
  visit("clip_norm", params.clip_norm,
        Rule{.doc = "a mean gradient that is longer, over the whole model, is made this long; default: none is",
             .above = 0});
  visit("warmup_steps", params.warmup_steps,
        Rule{.doc = "w: step t < w takes the share (t + 1) / (w + 1) of the rate", .at_least = 0});
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
  visit("betas", params.betas, Rule{.doc = "decay of the first and of the second moment", .at_least = 0, .below = 1});
  visit("epsilon", params.epsilon, Rule{.doc = "added to the root of the second moment", .above = 0});
}

template <class Visitor>
void fields(Visitor& visit, AdamWParams& params) {
  fields(visit, static_cast<AdamParams&>(params));
  visit("decays", params.decays,
        Rule{.doc = "the weights that weight_decay is for; matrices: those of tensors of two or more dimensions; "
                    "default: matrices where the model is a gpt, otherwise all"});
}
template <class Visitor>
void fields(Visitor& visit, MuonParams& params) {
  fields(visit, static_cast<AdamParams&>(params));
  visit("momentum", params.momentum, Rule{.doc = "share of the velocity kept", .at_least = 0, .below = 1});
  visit(
      "adamw_learning_rate", params.adamw_learning_rate,
      Rule{.doc = "the rate of what is no hidden matrix: vectors, embeddings, the last layer; it follows the schedule "
                  "likewise",
           .above = 0});
}

}  // namespace ddl::nn

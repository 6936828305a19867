// SGD: Robbins and Monro, 1951. Momentum: Polyak, 1964. Nesterov momentum in the form of Sutskever et al., ICML 2013,
// as rewritten by Bengio, Boulanger-Lewandowski and Pascanu, 2013. Adam: Kingma and Ba, ICLR 2015, algorithm 1.
#include "core/nn/optimizer.hpp"

#include <cmath>

#include "core/base/check.hpp"

namespace ddl::nn {
namespace {

const RateParams& rate_params(const OptimizerParams& params) {
  return std::visit([](const auto& kind) -> const RateParams& { return kind; }, params);
}

// base^exponent by squaring: pow of the C library may differ between machines.
double power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base) {
    if (exponent % 2 == 1) result *= base;
  }
  return result;
}

// One step of each kind on `count` values.
struct Update {
  std::size_t count;
  std::int64_t step;
  float* __restrict w;
  const float* __restrict g;
  float* __restrict first;
  float* __restrict second;

  float rate(const RateParams& params) const { return static_cast<float>(learning_rate_at(params, step)); }

  void operator()(const SgdParams& params) const {
    const float lr = rate(params), decay = static_cast<float>(params.weight_decay);
    for (std::size_t i = 0; i < count; ++i) w[i] -= lr * (g[i] + decay * w[i]);
  }

  void operator()(const MomentumParams& params) const {
    const float lr = rate(params), decay = static_cast<float>(params.weight_decay);
    const float mu = static_cast<float>(params.momentum);
    for (std::size_t i = 0; i < count; ++i) {
      first[i] = mu * first[i] + (g[i] + decay * w[i]);
      w[i] -= lr * first[i];
    }
  }

  void operator()(const NesterovParams& params) const {
    const float lr = rate(params), decay = static_cast<float>(params.weight_decay);
    const float mu = static_cast<float>(params.momentum);
    for (std::size_t i = 0; i < count; ++i) {
      const float slope = g[i] + decay * w[i];
      first[i] = mu * first[i] + slope;
      w[i] -= lr * (slope + mu * first[i]);
    }
  }

  void operator()(const AdamParams& params) const {
    const float decay = static_cast<float>(params.weight_decay), epsilon = static_cast<float>(params.epsilon);
    const float keep1 = static_cast<float>(params.beta1), take1 = static_cast<float>(1 - params.beta1);
    const float keep2 = static_cast<float>(params.beta2), take2 = static_cast<float>(1 - params.beta2);
    // Corrects the bias of moments that started at zero, after step + 1 gradients.
    const double bias1 = 1 - power(params.beta1, step + 1), bias2 = 1 - power(params.beta2, step + 1);
    const float lr = static_cast<float>(learning_rate_at(params, step) / bias1);
    const float root_scale = static_cast<float>(1 / std::sqrt(bias2));
    for (std::size_t i = 0; i < count; ++i) {
      const float slope = g[i] + decay * w[i];
      const float m = keep1 * first[i] + take1 * slope;
      const float v = keep2 * second[i] + take2 * (slope * slope);
      first[i] = m;
      second[i] = v;
      w[i] -= lr * m / (std::sqrt(v) * root_scale + epsilon);
    }
  }
};

}  // namespace

Optimizer::Optimizer(const OptimizerParams& params, std::size_t count) : params_(params) {
  if (!std::holds_alternative<SgdParams>(params)) first_.assign(count, 0.0f);
  if (std::holds_alternative<AdamParams>(params)) second_.assign(count, 0.0f);
}

void Optimizer::step(std::span<float> parameters, std::span<const float> gradient) {
  check(parameters.size() == gradient.size(), "one gradient value per parameter");
  check(first_.empty() || first_.size() == parameters.size(), "the vector the optimizer was made for");
  std::visit(Update{parameters.size(), steps_, parameters.data(), gradient.data(), first_.data(), second_.data()},
             params_);
  ++steps_;
}

bool Optimizer::is_stateless(const OptimizerParams& params) {
  const RateParams& rate = rate_params(params);
  return std::holds_alternative<SgdParams>(params) && rate.warmup_steps == 0 &&
         std::holds_alternative<ConstantRate>(rate.schedule);
}

void Optimizer::step_slice(std::span<float> parameters, std::span<const float> gradient) const {
  check(is_stateless(params_), "only plain SGD at a constant rate can be applied slice by slice");
  check(parameters.size() == gradient.size(), "one gradient value per parameter");
  std::visit(Update{parameters.size(), 0, parameters.data(), gradient.data(), nullptr, nullptr}, params_);
}

}  // namespace ddl::nn

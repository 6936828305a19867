// SGD: Robbins and Monro, 1951. Momentum: Polyak, 1964. Nesterov momentum in the form of Sutskever et al., ICML 2013,
// as rewritten by Bengio, Boulanger-Lewandowski and Pascanu, 2013. Adam: Kingma and Ba, ICLR 2015, algorithm 1.
#include "core/nn/optimizer.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <type_traits>

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

using Values = Eigen::Map<Eigen::ArrayXf>;
using Constants = Eigen::Map<const Eigen::ArrayXf>;

// One step of each kind. Both moments are empty where a kind has none.
struct Update {
  std::int64_t step;
  Values w;
  Constants g;
  Values first, second;

  float rate(const RateParams& params) const { return static_cast<float>(learning_rate_at(params, step)); }
  // The gradient with weight decay, as an expression that is computed where it is used.
  auto slope(const RateParams& params) const { return g + static_cast<float>(params.weight_decay) * w; }

  void operator()(const SgdParams& params) { w -= rate(params) * slope(params); }

  void operator()(const MomentumParams& params) {
    first = static_cast<float>(params.momentum) * first + slope(params);
    w -= rate(params) * first;
  }

  void operator()(const NesterovParams& params) {
    const float mu = static_cast<float>(params.momentum);
    first = mu * first + slope(params);
    w -= rate(params) * (slope(params) + mu * first);
  }

  void operator()(const AdamParams& params) {
    const float keep1 = static_cast<float>(params.beta1), take1 = static_cast<float>(1 - params.beta1);
    const float keep2 = static_cast<float>(params.beta2), take2 = static_cast<float>(1 - params.beta2);
    // Corrects the bias of moments that started at zero, after step + 1 gradients.
    const double bias1 = 1 - power(params.beta1, step + 1), bias2 = 1 - power(params.beta2, step + 1);
    const float lr = static_cast<float>(learning_rate_at(params, step) / bias1);
    const float root_scale = static_cast<float>(1 / std::sqrt(bias2));
    first = keep1 * first + take1 * slope(params);
    second = keep2 * second + take2 * slope(params).square();
    w -= lr * first / (second.sqrt() * root_scale + static_cast<float>(params.epsilon));
  }
};

constexpr std::size_t block_values = 1024;  // all vectors of a block stay in the first cache between two lines above

template <class T>
auto map(std::span<T> vector, std::size_t begin, std::size_t count) {
  using Vector = std::conditional_t<std::is_const_v<T>, Constants, Values>;
  return vector.empty() ? Vector(nullptr, 0) : Vector(vector.data() + begin, static_cast<Eigen::Index>(count));
}

void update(const OptimizerParams& params, std::int64_t step, std::span<float> w, std::span<const float> g,
            std::span<float> first, std::span<float> second) {
  for (std::size_t begin = 0; begin < w.size(); begin += block_values) {
    const std::size_t count = std::min(block_values, w.size() - begin);
    std::visit(
        Update{step, map(w, begin, count), map(g, begin, count), map(first, begin, count), map(second, begin, count)},
        params);
  }
}

}  // namespace

Optimizer::Optimizer(const OptimizerParams& params, std::size_t count) : params_(params) {
  if (!std::holds_alternative<SgdParams>(params)) first_.assign(count, 0.0f);
  if (std::holds_alternative<AdamParams>(params)) second_.assign(count, 0.0f);
}

void Optimizer::step(std::span<float> parameters, std::span<const float> gradient) {
  check(parameters.size() == gradient.size(), "one gradient value per parameter");
  check(first_.empty() || first_.size() == parameters.size(), "the vector the optimizer was made for");
  update(params_, steps_, parameters, gradient, first_, second_);
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
  update(params_, 0, parameters, gradient, {}, {});
}

}  // namespace ddl::nn

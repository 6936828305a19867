// SGD: Robbins and Monro, 1951. Momentum: Polyak, 1964. Nesterov momentum in the form of Sutskever et al., ICML 2013,
// as rewritten by Bengio, Boulanger-Lewandowski and Pascanu, 2013. Adam: Kingma and Ba, ICLR 2015, algorithm 1. AdamW:
// Loshchilov and Hutter, ICLR 2019. Muon: Jordan et al., 2024. Clipping: Pascanu, Mikolov and Bengio, ICML 2013.
#include "core/nn/optimizer.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/base/check.hpp"
#include "core/nn/kernels/orthogonal.hpp"
#include "core/nn/schedule.hpp"

namespace ddl::nn {
namespace {

// base^exponent by squaring: pow of the C library may differ between machines.
double power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base) {
    if (exponent % 2 == 1) result *= base;
  }
  return result;
}

using MutableArray = Eigen::Map<Eigen::ArrayXf>;
using ConstArray = Eigen::Map<const Eigen::ArrayXf>;

// One step of each kind. Moments that a kind lacks are empty. `Weight`: one number, or an array of them.
template <class Weight>
struct StepOf {
  std::int64_t step;
  double rate;
  MutableArray w;
  ConstArray g, penalised;
  Weight weight;
  MutableArray first, second;

  // The weighted gradient plus the L2 term, as an expression evaluated where it is used.
  auto slope(const RateParams& params) const {
    return g + static_cast<float>(params.weight_decay) * weight * penalised;
  }

  void operator()(const SgdParams& params) { w -= static_cast<float>(rate) * slope(params); }

  void operator()(const MomentumParams& params) {
    first = static_cast<float>(params.momentum) * first + slope(params);
    w -= static_cast<float>(rate) * first;
  }

  void operator()(const NesterovParams& params) {
    const float mu = static_cast<float>(params.momentum);
    first = mu * first + slope(params);
    w -= static_cast<float>(rate) * (slope(params) + mu * first);
  }

  void operator()(const AdamParams& params) {
    adam(params, g / weight + static_cast<float>(params.weight_decay) * penalised);
  }

  void operator()(const AdamWParams& params) {
    w -= static_cast<float>(rate * params.weight_decay) * weight * penalised;
    adam(params, g / weight);
  }

  // All but the hidden matrices.
  void operator()(const MuonParams& params) {
    rate *= params.adamw_learning_rate / params.learning_rate;
    (*this)(static_cast<const AdamWParams&>(params));
  }

  // Its moments are those of mean gradients, so the weight scales its step.
  template <class Mean>
  void adam(const AdamParams& params, const Mean& mean) {
    const double beta1 = params.betas[0], beta2 = params.betas[1];
    const float keep1 = static_cast<float>(beta1), take1 = static_cast<float>(1 - beta1);
    const float keep2 = static_cast<float>(beta2), take2 = static_cast<float>(1 - beta2);
    // Corrects the bias of moments that started at zero, after step + 1 gradients.
    const double bias1 = 1 - power(beta1, step + 1), bias2 = 1 - power(beta2, step + 1);
    const float lr = static_cast<float>(rate / bias1);
    const float root_scale = static_cast<float>(1 / std::sqrt(bias2));
    first = keep1 * first + take1 * mean;
    second = keep2 * second + take2 * mean.square();
    w -= lr * weight * first / (second.sqrt() * root_scale + static_cast<float>(params.epsilon));
  }
};

constexpr std::size_t block_values = 1024;  // all vectors of a block stay in the first cache between two lines above

template <class T>
auto map(std::span<T> vector, std::size_t begin, std::size_t count) {
  using Vector = std::conditional_t<std::is_const_v<T>, ConstArray, MutableArray>;
  return vector.empty() ? Vector(nullptr, 0) : Vector(vector.data() + begin, static_cast<Eigen::Index>(count));
}

void update_values(const OptimizerParams& params, std::int64_t step, double rate, std::span<float> w,
                   const WeightedGradient& gradient, std::span<float> first, std::span<float> second) {
  const std::span<const float> penalised = gradient.penalised_at.empty() ? w : gradient.penalised_at;
  for (std::size_t begin = 0; begin < w.size(); begin += block_values) {
    const std::size_t count = std::min(block_values, w.size() - begin);
    const auto take = [&](auto weight) {
      std::visit(StepOf<decltype(weight)>{step, rate, map(w, begin, count), map(gradient.gradient, begin, count),
                                          map(penalised, begin, count), weight, map(first, begin, count),
                                          map(second, begin, count)},
                 params);
    };
    if (gradient.weights.empty()) {
      take(gradient.weight);
    } else {
      take(map(gradient.weights, begin, count));
    }
  }
}

// A hidden matrix, inputs x outputs, by Muon: M = mu M + g, and W -= rate sqrt(outputs / inputs) O, O being g + mu M
// made orthogonal.
void update_matrix(const MuonParams& params, double rate, const Matrix& shape, std::span<float> w,
                   const WeightedGradient& gradient, std::span<float> velocity) {
  const std::size_t count = w.size();
  const std::span<const float> penalised = gradient.penalised_at.empty() ? w : gradient.penalised_at;
  const auto mu = static_cast<float>(params.momentum), decay = static_cast<float>(rate * params.weight_decay);
  const auto length =
      static_cast<float>(rate * std::sqrt(static_cast<double>(shape.columns) / static_cast<double>(shape.rows)));
  const auto weight = [&](std::size_t i) { return gradient.weights.empty() ? gradient.weight : gradient.weights[i]; };
  std::vector<float> direction(count);
  for (std::size_t i = 0; i < count; ++i) {
    const float mean = gradient.gradient[i] / weight(i);
    velocity[i] = mu * velocity[i] + mean;
    direction[i] = mean + mu * velocity[i];
  }
  orthogonalize(direction, shape.rows, shape.columns);
  for (std::size_t i = 0; i < count; ++i) {
    w[i] -= decay * weight(i) * penalised[i];
    w[i] -= length * weight(i) * direction[i];
  }
}

template <class T>
std::span<T> piece_of(std::span<T> values, std::size_t begin, std::size_t count) {
  return values.empty() ? values : values.subspan(begin, count);
}

WeightedGradient piece_of(const WeightedGradient& whole, std::size_t begin, std::size_t count) {
  return {piece_of(whole.gradient, begin, count), whole.weight, piece_of(whole.weights, begin, count),
          piece_of(whole.penalised_at, begin, count)};
}

bool is_of_length(const WeightedGradient& gradient, std::size_t count) {
  return gradient.gradient.size() == count && (gradient.weights.empty() || gradient.weights.size() == count) &&
         (gradient.penalised_at.empty() || gradient.penalised_at.size() == count);
}

}  // namespace

const RateParams& rate_params(const OptimizerParams& params) {
  return std::visit([](const auto& kind) -> const RateParams& { return kind; }, params);
}

Optimizer::Optimizer(const OptimizerParams& params, std::size_t count, std::vector<Matrix> matrices)
    : params_(params), count_(count), matrices_(std::move(matrices)) {}

void Optimizer::make_state() {
  const int vectors = kept_vectors(params_);
  if (vectors > 0) first_.resize(count_);
  if (vectors > 1) second_.resize(count_);
}

int Optimizer::kept_vectors(const OptimizerParams& params) {
  if (std::holds_alternative<SgdParams>(params)) return 0;
  return std::holds_alternative<MomentumParams>(params) || std::holds_alternative<NesterovParams>(params) ? 1 : 2;
}

// Summed in order, in double precision: the same on every machine.
WeightedGradient Optimizer::clipped(const WeightedGradient& gradient) {
  const std::optional<double>& most = rate_params(params_).clip_norm;
  if (!most) return gradient;
  double squares = 0;
  for (std::size_t i = 0; i < gradient.gradient.size(); ++i) {
    const double mean = gradient.gradient[i] / (gradient.weights.empty() ? gradient.weight : gradient.weights[i]);
    squares += mean * mean;
  }
  const double norm = std::sqrt(squares);
  if (!(norm > *most)) return gradient;
  clipped_.assign(gradient.gradient.begin(), gradient.gradient.end());
  for (float& value : clipped_) value *= static_cast<float>(*most / norm);
  WeightedGradient shorter = gradient;
  shorter.gradient = clipped_;
  return shorter;
}

void Optimizer::step(std::span<float> parameters, const WeightedGradient& gradient, double rate) {
  check(is_of_length(gradient, parameters.size()), "one gradient value per parameter");
  make_state();
  check(first_.empty() || first_.size() == parameters.size(), "the vector the optimizer was made for");
  update(parameters, 0, clipped(gradient), rate, steps_);
  ++steps_;
}

void Optimizer::update(std::span<float> parameters, std::size_t first, const WeightedGradient& gradient, double rate,
                       std::int64_t step) {
  const auto part = [&](std::vector<float>& state, std::size_t begin, std::size_t count) {
    return piece_of(std::span(state), first + begin, count);
  };
  const auto update_piece = [&](const OptimizerParams& params, std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    const std::size_t count = end - begin;
    update_values(params, step, rate, parameters.subspan(begin, count), piece_of(gradient, begin, count),
                  part(first_, begin, count), part(second_, begin, count));
  };
  const auto* muon = std::get_if<MuonParams>(&params_);
  const auto* adamw = muon != nullptr ? muon : std::get_if<AdamWParams>(&params_);
  if (adamw == nullptr || adamw->decays != Decays::matrices) return update_piece(params_, 0, parameters.size());
  OptimizerParams of_vectors = params_;
  std::visit([](RateParams& params) { params.weight_decay = 0; }, of_vectors);
  std::size_t done = 0;
  for (const Matrix& matrix : matrices_) {
    const std::size_t begin = std::max(matrix.first, first) - first;
    const std::size_t end = std::clamp(matrix.end(), first, first + parameters.size()) - first;
    if (begin >= end) continue;
    update_piece(of_vectors, done, begin);
    done = end;
    if (muon == nullptr || !matrix.hidden) {
      update_piece(params_, begin, end);
      continue;
    }
    check(end - begin == matrix.rows * matrix.columns, "a whole matrix");
    update_matrix(*muon, rate, matrix, parameters.subspan(begin, end - begin), piece_of(gradient, begin, end - begin),
                  part(first_, begin, end - begin));
  }
  update_piece(of_vectors, done, parameters.size());
}

bool Optimizer::averages_updates(const OptimizerParams& params) {
  const auto of_adam = [](const AdamParams& adam) { return adam.betas[0] > 0; };
  if (const auto* adam = std::get_if<AdamParams>(&params)) return of_adam(*adam);
  if (const auto* adamw = std::get_if<AdamWParams>(&params)) return of_adam(*adamw);
  return std::holds_alternative<MuonParams>(params);
}

Slices Optimizer::slices(const OptimizerParams& params) {
  if (rate_params(params).clip_norm || std::holds_alternative<MuonParams>(params)) return Slices::none;
  return kept_vectors(params) > 0 ? Slices::once : Slices::any;
}

void Optimizer::step_slice(std::span<float> parameters, std::size_t first, const WeightedGradient& gradient,
                           double rate, std::optional<std::int64_t> updates) {
  check(slices(params_) != Slices::none, "an optimizer that takes slices");
  check(is_of_length(gradient, parameters.size()), "one gradient value per parameter");
  make_state();
  update(parameters, first, gradient, rate, updates.value_or(steps_));
}

void Optimizer::pack(std::vector<float>& into) const {
  const std::size_t end = into.size() + static_cast<std::size_t>(kept_vectors(params_)) * count_;
  into.insert(into.end(), first_.begin(), first_.end());
  into.insert(into.end(), second_.begin(), second_.end());
  into.resize(end);  // zeros, if it has not been used
  pack_count(steps_, into);
}

void Optimizer::unpack(std::span<const float> values) {
  make_state();
  check(values.size() == first_.size() + second_.size() + packed_count_values,
        "what an optimizer of these settings keeps");
  std::ranges::copy(values.first(first_.size()), first_.begin());
  std::ranges::copy(values.subspan(first_.size(), second_.size()), second_.begin());
  steps_ = unpack_count(values.last(packed_count_values));
}

}  // namespace ddl::nn

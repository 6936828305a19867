#include "core/systems/diloco/outer_model.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>
#include <utility>
#include <variant>

#include "core/base/model_steps.hpp"
#include "core/node/vectors.hpp"

namespace ddl::systems {
namespace {

using Values = std::span<float>;
using Moves = std::span<const float>;

void outer_step(const OuterNesterov& params, Values model, Values velocity, Moves move, float rescaled) {
  const auto rate = static_cast<float>(params.learning_rate), mu = static_cast<float>(params.momentum);
  for (std::size_t i = 0; i < model.size(); ++i) {
    velocity[i] = mu * rescaled * velocity[i] + move[i];
    model[i] -= rate * (move[i] + mu * velocity[i]);
  }
}

void outer_step(const OuterHeavyBall& params, Values model, Values velocity, Moves move, float rescaled) {
  const auto rate = static_cast<float>(params.learning_rate), mu = static_cast<float>(params.momentum);
  for (std::size_t i = 0; i < model.size(); ++i) {
    velocity[i] = mu * rescaled * velocity[i] + move[i];
    model[i] -= rate * velocity[i];
  }
}

void outer_step(const OuterSgd& params, Values model, Values /*velocity*/, Moves move, float /*rescaled*/) {
  add_scaled(model, move, -static_cast<float>(params.learning_rate));
}

bool follows_inner_rate(const OuterParams& params) {
  return std::visit(
      [](const auto& kind) {
        if constexpr (requires { kind.velocity; }) return kind.velocity == OuterVelocity::gradients;
        return false;
      },
      params);
}

}  // namespace

OuterModel::OuterModel(const OuterParams& params, const Payload& start, std::size_t parameters)
    : params_(params), model_(start), velocity_(start && !std::holds_alternative<OuterSgd>(params) ? parameters : 0) {}

void OuterModel::step(const comm::Partition& fragment, const Payload& moves, double inner_rate) {
  const float rescaled = rescaling(fragment.front().begin, inner_rate);
  comm::scatter(fragment, moves, [&](Slice slice, Moves move) {
    const Values model = part_of(model_.write(), slice), velocity = part_of(Values(velocity_), slice);
    std::visit([&](const auto& kind) { outer_step(kind, model, velocity, move, rescaled); }, params_);
  });
}

OuterModel OuterModel::copy() const {
  OuterModel copy(params_, model_.snapshot(), model_.read().size());
  copy.velocity_ = velocity_;
  copy.rates_ = rates_;
  return copy;
}

// A rate is two floats of the same bits.
std::vector<float> OuterModel::packed() const {
  const std::span<const float> model = model_.read();
  std::vector<float> packed(model.begin(), model.end());
  packed.insert(packed.end(), velocity_.begin(), velocity_.end());
  for (const auto& [first, rate] : rates_) {
    pack_count(static_cast<std::int64_t>(first), packed);
    std::ranges::copy(std::bit_cast<std::array<float, 2>>(rate), std::back_inserter(packed));
  }
  return packed;
}

void OuterModel::unpack(std::span<const float> packed) {
  const auto take = [&](std::size_t count) {
    const std::span<const float> taken = packed.first(count);
    packed = packed.subspan(count);
    return taken;
  };
  const std::span<const float> model = take(model_.read().size()), velocity = take(velocity_.size());
  model_.adopt(make_payload({model.begin(), model.end()}));
  velocity_.assign(velocity.begin(), velocity.end());
  rates_.clear();
  while (!packed.empty()) {
    const auto first = static_cast<std::size_t>(unpack_count(take(packed_count_values)));
    std::array<float, 2> rate{};
    std::ranges::copy(take(2), rate.begin());
    rates_[first] = std::bit_cast<double>(rate);
  }
}

// The factor of the velocity, in the fragment that begins at this coordinate.
float OuterModel::rescaling(std::size_t first, double inner_rate) {
  const double last = std::exchange(rates_.try_emplace(first, inner_rate).first->second, inner_rate);
  if (!follows_inner_rate(params_)) return 1;
  return last > 0 ? static_cast<float>(inner_rate / last) : 0;
}

}  // namespace ddl::systems

// Warm-up as in Goyal et al., 2017; cosine as in Loshchilov and Hutter, SGDR, ICLR 2017, without restarts.
#include "core/nn/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ddl::nn {
namespace {

// cos(pi x) for x in [0, 1], to double precision and with the same bits everywhere.
double cosine_of_half_turns(double x) {
  if (x > 0.5) return -cosine_of_half_turns(1 - x);
  const double square = std::numbers::pi * x * (std::numbers::pi * x);
  double sum = 1;
  for (int k = 22; k >= 2; k -= 2) sum = 1 - sum * square / (k * (k - 1));
  return sum;
}

struct Factor {
  std::int64_t step, warmup_steps;
  double run_share, warm;

  double operator()(const ConstantRate&) const { return 1; }
  double operator()(const StepRate& schedule) const {
    double factor = 1;
    for (const std::int64_t at : schedule.at) {
      if (step >= at) factor *= schedule.factor;
    }
    return factor;
  }
  double operator()(const CosineRate& schedule) const {
    const double progress = std::clamp(progress_of(schedule), 0.0, 1.0);
    return schedule.floor + (1 - schedule.floor) * (1 + cosine_of_half_turns(progress)) / 2;
  }
  double progress_of(const CosineRate& schedule) const {
    if (!schedule.steps) return run_share >= 1 ? 1 : (run_share - warm) / (1 - warm);
    return static_cast<double>(step - warmup_steps) / static_cast<double>(*schedule.steps - warmup_steps);
  }
};

constexpr double run_shares = 1e4;  // a share is one of so many, so that no last digit of a time changes a rate

}  // namespace

double learning_rate(const RateParams& params, ModelSteps& steps, double run_share) {
  const double share = std::round(run_share * run_shares) / run_shares;
  const bool warming = steps.whole < params.warmup_steps;
  if (!warming && !steps.warm) steps.warm = params.warmup_steps == 0 ? 0 : std::min(share, 1 - 1 / run_shares);
  const Factor factor{steps.whole, params.warmup_steps, share, steps.warm.value_or(share)};
  double rate = params.learning_rate * std::visit(factor, params.schedule);
  if (warming) rate *= static_cast<double>(steps.whole + 1) / static_cast<double>(params.warmup_steps + 1);
  return rate;
}

bool follows_the_run(const RateParams& params) {
  const auto* cosine = std::get_if<CosineRate>(&params.schedule);
  return cosine != nullptr && !cosine->steps;
}

void ModelSteps::pack(std::vector<float>& into) const {
  pack_count(whole, into);
  into.push_back(warm ? static_cast<float>(std::round(*warm * run_shares)) : -1);
}

ModelSteps ModelSteps::unpack(std::span<const float> values) {
  ModelSteps steps;
  steps.whole = unpack_count(values);
  const float warm = values[packed_count_values];
  if (warm >= 0) steps.warm = warm / run_shares;
  return steps;
}

}  // namespace ddl::nn

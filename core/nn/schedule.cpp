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

constexpr double run_shares = 1e4;  // shares are multiples of 1 / run_shares: last digits of times change no rate

struct Factor {
  std::int64_t step, warmup_steps;
  const RunEnd& end;

  double operator()(const ConstantRate&) const { return 1; }
  double operator()(const StepRate& schedule) const {
    double factor = 1;
    for (const std::int64_t at : schedule.at) {
      if (step >= at) factor *= schedule.factor;
    }
    return factor;
  }
  double operator()(const CosineRate& schedule) const {
    const double progress = schedule.steps ? by_steps(static_cast<double>(*schedule.steps)) : by_the_run();
    return schedule.floor + (1 - schedule.floor) * (1 + cosine_of_half_turns(progress)) / 2;
  }
  // Progress since the end of warm-up.
  double by_steps(double steps) const {
    const auto warm = static_cast<double>(warmup_steps);
    return steps > warm ? std::clamp((static_cast<double>(step) - warm) / (steps - warm), 0.0, 1.0) : 0;
  }
  double by_the_run() const {
    const double share = std::max(end.share, end.steps > 0 ? by_steps(end.steps) : 0);
    return std::min(1.0, std::round(share * run_shares) / run_shares);
  }
};

}  // namespace

double learning_rate(const RateParams& params, const ModelSteps& steps, const RunEnd& end) {
  double rate = params.learning_rate;
  if (steps.whole < params.warmup_steps) {
    rate *= static_cast<double>(steps.whole + 1) / static_cast<double>(params.warmup_steps + 1);
    if (std::holds_alternative<CosineRate>(params.schedule)) return rate;
  }
  return rate * std::visit(Factor{steps.whole, params.warmup_steps, end}, params.schedule);
}

bool follows_the_run(const RateParams& params) {
  const auto* cosine = std::get_if<CosineRate>(&params.schedule);
  return cosine != nullptr && !cosine->steps;
}

}  // namespace ddl::nn

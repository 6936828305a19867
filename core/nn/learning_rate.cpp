// Schedules: warm-up as in Goyal et al., 2017; cosine as in Loshchilov and Hutter, SGDR, ICLR 2017, without restarts.
#include <algorithm>
#include <numbers>

#include "core/nn/optimizer.hpp"

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
  std::int64_t step;

  double operator()(const ConstantRate&) const { return 1; }
  double operator()(const StepRate& schedule) const {
    double factor = 1;
    for (const std::int64_t at : schedule.at) {
      if (step >= at) factor *= schedule.factor;
    }
    return factor;
  }
  double operator()(const CosineRate& schedule) const {
    const double progress = static_cast<double>(std::min(step, schedule.steps)) / static_cast<double>(schedule.steps);
    return schedule.floor + (1 - schedule.floor) * (1 + cosine_of_half_turns(progress)) / 2;
  }
};

}  // namespace

double learning_rate_at(const RateParams& params, std::int64_t step) {
  double rate = params.learning_rate * std::visit(Factor{step}, params.schedule);
  if (step < params.warmup_steps) rate *= static_cast<double>(step + 1) / static_cast<double>(params.warmup_steps);
  return rate;
}

}  // namespace ddl::nn

// Learning-rate schedules.
#pragma once

#include "core/base/model_steps.hpp"
#include "core/nn/optimizer_params.hpp"

namespace ddl::nn {

// Knowledge of the run's end; used only by a cosine without `steps`.
struct RunEnd {
  double share = 0;  // share of the run that is over by time or samples, 0 to 1
  double steps = 0;  // the model's steps until the end; 0: unknown
};

// The rate of the present step. It changes within a step only if it follows the run's share.
double learning_rate(const RateParams& params, const ModelSteps& steps, const RunEnd& end);

// True if the rate depends on the run's end.
bool follows_the_run(const RateParams& params);

}  // namespace ddl::nn

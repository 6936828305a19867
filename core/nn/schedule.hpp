// Learning-rate schedules.
#pragma once

#include "core/base/model_steps.hpp"
#include "core/nn/optimizer_params.hpp"

namespace ddl::nn {

// What is known of the run's end; read by a cosine without `steps` alone.
struct RunEnd {
  double share = 0;  // of the run that is over by time or samples, 0 to 1
  double steps = 0;  // of the model until the end; 0: not known
};

// The rate of the step under way. It changes within a step only where it follows the run's share.
double learning_rate(const RateParams& params, const ModelSteps& steps, const RunEnd& end);

// Whether the rate depends on the run's end.
bool follows_the_run(const RateParams& params);

}  // namespace ddl::nn

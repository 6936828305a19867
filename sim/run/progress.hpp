// How far a run is, for display.
#pragma once

#include "sim/scenario/metric.hpp"

namespace ddl::run {

struct Progress {
  double fraction = 0;  // done, by the stop condition, 0 .. 1
  double simulated_s = 0;
  double score = -1;            // the metric's mean over workers, as last evaluated; negative before
  double scored_s = 0;          // the simulated time of that
  double evaluation_share = 0;  // part of the math so far
  double expected_s = 0;        // by the clock, for the whole run, told before it began; 0: not known
  scenario::MetricName metric = scenario::MetricName::accuracy;
};

}  // namespace ddl::run

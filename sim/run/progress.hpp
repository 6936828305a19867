// How far a run is, for display.
#pragma once

namespace ddl::run {

struct Progress {
  double fraction = 0;  // of the stop condition, 0 .. 1
  double simulated_s = 0;
  double accuracy = 0;          // as last evaluated; negative before
  double evaluation_share = 0;  // of the math so far
  double expected_s = 0;        // by the clock, for the whole run, told before it began; 0: not known
};

}  // namespace ddl::run

// Statistics over a few seeds: means with Student's intervals.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ddl::results {

struct Estimate {
  std::size_t count = 0;
  double mean = 0;
  double deviation = 0;              // the sample's, with n - 1; 0 for one value
  std::optional<double> half_width;  // half the 95 % interval around the mean; none for one value
};

// Nothing for no values. Values that are not finite make the mean so, and leave no interval.
std::optional<Estimate> estimate(const std::vector<double>& values);

// Factor from the standard error of `count` values to half_width; `count` is at least 2.
double student_factor(std::size_t count);

// The 95 % interval of a mean, within what its values can be: most 1 for shares, least 0 for what is never negative.
// Nothing for one value.
struct Interval {
  double low = 0, high = 0;
};
std::optional<Interval> interval_of(const Estimate& estimate, double least, double most);

}  // namespace ddl::results

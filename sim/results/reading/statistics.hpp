// Statistics over a few seeds: means with intervals, and whether two means differ. Student's t throughout.
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

// How many deviations of a normal variable lie within all but `error` of its cases, on both sides.
double normal_factor(double error);

// Two-sided p of a mean difference of zero, by Student's t-test of paired values. Nothing for fewer than two
// differences or where one is not finite. Where they do not vary: 1 if they are zero, otherwise 0.
std::optional<double> paired_p(const std::vector<double>& differences);

// p of several comparisons, each corrected for the others: the least times their number, the next times one fewer, and
// so on, never falling and at most 1. Source: Holm, A simple sequentially rejective multiple test procedure,
// Scandinavian Journal of Statistics 6, 1979.
std::vector<double> holm(const std::vector<double>& p);

// The 95 % interval of a mean, within what its values can be: most 1 for shares, least 0 for what is never negative.
// Nothing for one value.
struct Interval {
  double low = 0, high = 0;
};
std::optional<Interval> interval_of(const Estimate& estimate, double least, double most);

constexpr double significance = 0.05;
constexpr std::size_t least_seeds = 3;  // in each of two groups, for a verdict

}  // namespace ddl::results

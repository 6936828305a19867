// What a few seeds say: means with intervals, and whether two means differ. Student's t throughout.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ddl::results {

struct Estimate {
  std::size_t count = 0;
  double mean = 0;
  double deviation = 0;              // of the sample, with n - 1; 0 for one value
  std::optional<double> half_width;  // of the 95 % interval around the mean; none for one value
};

// Nothing for no values. Values that are not finite make the mean so, and leave no interval.
std::optional<Estimate> estimate(const std::vector<double>& values);

// What the standard error of `count` values is multiplied by to give half_width; `count` is at least 2.
double student_factor(std::size_t count);

// Two-sided p of equal means, by Welch's t-test, which lets the two vary differently. Nothing if one of them has fewer
// than two values or is not finite. Where neither varies at all: 1 if the means are equal, otherwise 0.
// Source: Welch, The generalization of "Student's" problem, Biometrika 34, 1947.
std::optional<double> welch_p(const Estimate& a, const Estimate& b);

constexpr double significance = 0.05;

}  // namespace ddl::results

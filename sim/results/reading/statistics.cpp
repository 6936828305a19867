#include "sim/results/reading/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace ddl::results {

double student_factor(std::size_t count) {
  return boost::math::quantile(boost::math::students_t(static_cast<double>(count - 1)), 0.975);
}

std::optional<Estimate> estimate(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  Estimate result;
  result.count = values.size();
  const auto n = static_cast<double>(values.size());
  // About the first value, so that what is constant has a mean of exactly that and no deviation.
  for (const double value : values) result.mean += (value - values.front()) / n;
  result.mean += values.front();
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  if (values.size() < 2 || !std::isfinite(squares)) return result;
  result.deviation = std::sqrt(squares / (n - 1));
  result.half_width = student_factor(values.size()) * result.deviation / std::sqrt(n);
  return result;
}

std::optional<Interval> interval_of(const Estimate& estimate, double least, double most) {
  if (!estimate.half_width) return std::nullopt;
  return Interval{std::max(least, estimate.mean - *estimate.half_width),
                  std::min(most, estimate.mean + *estimate.half_width)};
}

}  // namespace ddl::results

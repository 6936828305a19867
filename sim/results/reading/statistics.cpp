#include "sim/results/reading/statistics.hpp"

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

std::optional<double> welch_p(const Estimate& a, const Estimate& b) {
  if (!a.half_width || !b.half_width) return std::nullopt;
  const auto n_a = static_cast<double>(a.count), n_b = static_cast<double>(b.count);
  const double error_a = a.deviation * a.deviation / n_a, error_b = b.deviation * b.deviation / n_b;
  const double error = error_a + error_b;
  if (error == 0) return a.mean == b.mean ? 1.0 : 0.0;
  const double t = std::abs(a.mean - b.mean) / std::sqrt(error);
  const double freedom = error * error / (error_a * error_a / (n_a - 1) + error_b * error_b / (n_b - 1));
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), t));
}

}  // namespace ddl::results

#include "sim/results/reading/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace ddl::results {

double student_factor(std::size_t count) {
  return boost::math::quantile(boost::math::students_t(static_cast<double>(count - 1)), 0.975);
}

double normal_factor(double error) { return boost::math::quantile(boost::math::normal(), 1 - error / 2); }

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

std::optional<double> paired_p(const std::vector<double>& differences) {
  const auto mean = estimate(differences);
  if (!mean || !mean->half_width) return std::nullopt;
  if (mean->deviation == 0) return mean->mean == 0 ? 1.0 : 0.0;
  const auto n = static_cast<double>(mean->count);
  const double t = std::abs(mean->mean) * std::sqrt(n) / mean->deviation;
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(n - 1), t));
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> corrected(p.size());
  double most = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    most = std::max(most, std::min(1.0, p[order[rank]] * static_cast<double>(p.size() - rank)));
    corrected[order[rank]] = most;
  }
  return corrected;
}

std::optional<Interval> interval_of(const Estimate& estimate, double least, double most) {
  if (!estimate.half_width) return std::nullopt;
  return Interval{std::max(least, estimate.mean - *estimate.half_width),
                  std::min(most, estimate.mean + *estimate.half_width)};
}

}  // namespace ddl::results

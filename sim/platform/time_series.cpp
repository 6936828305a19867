#include "sim/platform/time_series.hpp"

#include <algorithm>

#include "core/base/portable_math.hpp"

namespace ddl::platform {

PointSeries::PointSeries(double before, std::vector<std::pair<double, double>> points, double repeat_s)
    : points_(std::move(points)), repeat_s_(repeat_s) {
  value_ = before;
  if (!points_.empty()) next_s_ = points_.front().first;
}

void PointSeries::step() {
  value_ = points_[next_].second;
  if (++next_ == points_.size() && repeat_s_ > 0) {
    next_ = 0;
    ++repetitions_;
  }
  next_s_ = next_ < points_.size() ? repetitions_ * repeat_s_ + points_[next_].first : never;
}

RandomPeriods::RandomPeriods(double factor, double mean_between_s, double mean_length_s, double from_s, double until_s,
                             Stream random)
    : factor_(factor),
      mean_between_s_(mean_between_s),
      mean_length_s_(mean_length_s),
      until_s_(until_s),
      random_(random) {
  plan(from_s, mean_between_s_);
}

void RandomPeriods::plan(double now_s, double mean_s) {
  next_s_ = now_s - mean_s * portable_log(1 - random_.uniform());
  if (in_period_) {
    next_s_ = std::min(next_s_, until_s_);
  } else if (next_s_ >= until_s_) {
    next_s_ = never;
  }
}

void RandomPeriods::step() {
  in_period_ = !in_period_;
  value_ = in_period_ ? factor_ : 1;
  plan(next_s_, in_period_ ? mean_length_s_ : mean_between_s_);
}

double next_s(const std::vector<std::unique_ptr<TimeSeries>>& series_list) {
  double next = TimeSeries::never;
  for (const auto& series : series_list) next = std::min(next, series->next_s());
  return next;
}

void step_to(const std::vector<std::unique_ptr<TimeSeries>>& series_list, double now_s) {
  for (const auto& series : series_list) {
    while (series->next_s() <= now_s) series->step();
  }
}

double product(const std::vector<std::unique_ptr<TimeSeries>>& series_list) {
  double result = 1;
  for (const auto& series : series_list) result *= series->value();
  return result;
}

}  // namespace ddl::platform

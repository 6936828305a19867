// Quantities that change in steps at given simulated times.
#pragma once

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/rng.hpp"

namespace ddl::platform {

// A piecewise constant function of simulated time, which is walked through one change at a time.
class TimeSeries {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  virtual ~TimeSeries() = default;
  double value() const { return value_; }    // until next_s()
  double next_s() const { return next_s_; }  // time of the next change
  virtual void step() = 0;                   // to the value from next_s() on; not to be called after the last change

 protected:
  double value_ = 1, next_s_ = never;
};

// Given values from given times on, once or repeatedly.
class PointSeries : public TimeSeries {
 public:
  // `points`: time and value, times increasing. `repeat_s`: 0 for once; otherwise the first time is 0.
  PointSeries(double before, std::vector<std::pair<double, double>> points, double repeat_s = 0);
  void step() override;

 private:
  std::vector<std::pair<double, double>> points_;
  const double repeat_s_;
  std::size_t next_ = 0;
  double repetitions_ = 0;
};

// `factor` in random periods, 1 between them: the lengths of both are exponentially distributed. No period begins
// before `from_s` or lasts beyond `until_s`.
class RandomPeriods : public TimeSeries {
 public:
  RandomPeriods(double factor, double mean_between_s, double mean_length_s, double from_s, double until_s,
                Stream random);
  void step() override;

 private:
  void plan(double now_s, double mean_s);

  const double factor_, mean_between_s_, mean_length_s_, until_s_;
  bool in_period_ = false;
  Stream random_;
};

// Several time series: the earliest next change; stepping all of them; the product of their values.
double next_s(const std::vector<std::unique_ptr<TimeSeries>>& series_list);
void step_to(const std::vector<std::unique_ptr<TimeSeries>>& series_list, double now_s);
double product(const std::vector<std::unique_ptr<TimeSeries>>& series_list);

}  // namespace ddl::platform

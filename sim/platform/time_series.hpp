// A quantity over simulated time that stays the same for a while and is then another.
#pragma once

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/rng.hpp"

namespace ddl::platform {

// Goes along with simulated time, one change after the other.
class TimeSeries {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  virtual ~TimeSeries() = default;
  double value() const { return value_; }    // until next_s()
  double next_s() const { return next_s_; }  // of the next change
  virtual void step() = 0;                   // to what holds from next_s() on; not after the last change

 protected:
  double value_ = 1, next_s_ = never;
};

// Values from given times on, perhaps again and again.
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

// `factor` in bouts, 1 between them: times between and lengths are exponentially distributed. No bout begins before
// `from_s` or goes beyond `until_s`.
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

// Of all that change together.
double next_s(const std::vector<std::unique_ptr<TimeSeries>>& series_list);
void step_to(const std::vector<std::unique_ptr<TimeSeries>>& series_list, double now_s);
double product(const std::vector<std::unique_ptr<TimeSeries>>& series_list);

}  // namespace ddl::platform

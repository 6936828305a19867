// Metrics that models are judged by: their names, and which way is better.
#pragma once

#include <algorithm>
#include <limits>
#include <string_view>

#include "core/base/fields.hpp"

namespace ddl::scenario {

struct Metric {
  std::string_view word;
  bool less_is_better;
  double most;  // largest possible value; never less than 0

  constexpr bool is_better(double one, double other) const { return less_is_better ? one < other : one > other; }
  constexpr bool reaches(double value, double target) const {
    return less_is_better ? value <= target : value >= target;
  }
  // How far a value is behind a target; 0 if it reaches it.
  constexpr double behind(double value, double target) const {
    return std::max(0.0, less_is_better ? value - target : target - value);
  }
  // A value as something of which less is better, and back.
  constexpr double cost_of(double value) const { return less_is_better ? value : most - value; }
  constexpr double value_of(double cost) const { return less_is_better ? cost : most - cost; }
  // Value of a model that has learned nothing.
  constexpr double worst() const { return less_is_better ? most : 0; }
};

inline constexpr Metric by_accuracy = {"accuracy", false, 1};                               // share of test samples
inline constexpr Metric by_loss = {"loss", true, std::numeric_limits<double>::infinity()};  // nats

enum class MetricName { accuracy, loss };
constexpr auto enum_names(MetricName) { return in_order<MetricName>("accuracy", "loss"); }
constexpr const Metric& metric_of(MetricName name) { return name == MetricName::loss ? by_loss : by_accuracy; }

}  // namespace ddl::scenario

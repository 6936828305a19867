// Metrics that models are judged by: their names, and which way is better.
#pragma once

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
};

inline constexpr Metric by_accuracy = {"accuracy", false, 1};                               // share of test samples
inline constexpr Metric by_loss = {"loss", true, std::numeric_limits<double>::infinity()};  // nats

enum class MetricName { accuracy, loss };
constexpr auto enum_names(MetricName) { return in_order<MetricName>("accuracy", "loss"); }
constexpr const Metric& metric_of(MetricName name) { return name == MetricName::loss ? by_loss : by_accuracy; }

}  // namespace ddl::scenario

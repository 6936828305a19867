#include "sim/scenario/metric.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace ddl::scenario::metric_test {
namespace {

TEST_CASE("more accuracy is better, and less loss") {
  CHECK(by_accuracy.is_better(0.9, 0.8));
  CHECK(by_loss.is_better(0.8, 0.9));
  for (const Metric& metric : {by_accuracy, by_loss}) {
    CHECK_FALSE(metric.is_better(0.5, 0.5));
    CHECK(metric.reaches(0.5, 0.5));
    const double good = metric.less_is_better ? 0.25 : 0.75, bad = 1 - good;
    CHECK(metric.reaches(good, bad));
    CHECK_FALSE(metric.reaches(bad, good));
    CHECK_FALSE(metric.reaches(std::nan(""), 0.5));
    CHECK_FALSE(metric.is_better(std::nan(""), 0.5));
  }
}

}  // namespace
}  // namespace ddl::scenario::metric_test

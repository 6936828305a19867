// Learning curves of finished runs, over all workers, and what several seeds have in common.
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

#include "sim/run/rows/run_result.hpp"
#include "sim/scenario/metric.hpp"

namespace ddl::results {

// The rows `mean` of curve.csv, in order. Throws InputError.
std::vector<run::CurveRow> read_mean_curve(const std::filesystem::path& folder);

// A row's value of the metric; nan where the curve has none of it.
inline double value_in(const run::CurveRow& row, const scenario::Metric& metric) {
  const std::optional<double>& value = metric.less_is_better ? row.test_loss : row.test_accuracy;
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

// x never falls; y may be nan.
struct Line {
  std::vector<double> x, y;
};

// What lies between low and high: the mean's 95 % interval, one standard deviation to either side of it, or all runs.
enum class BandKind { none, interval, deviation, extremes };

// A mean with its band at each x; where that is not known, low and high are the mean.
struct Band {
  std::vector<double> x, mean, low, high;
};

// Over the range of x that all of `runs` cover, at the places where any of them has a point, at most `most_points` of
// these. Between its points a run is a straight line. Runs without a point are left out.
Band band_of(const std::vector<Line>& runs, std::size_t most_points, BandKind kind = BandKind::interval);

// Positions of at most `most` (two or more) of `count` things in order, evenly spread, first and last among them.
std::vector<std::size_t> spread_evenly(std::size_t count, std::size_t most);

}  // namespace ddl::results

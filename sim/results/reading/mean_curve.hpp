// Learning curves of finished runs, over all workers.
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

}  // namespace ddl::results

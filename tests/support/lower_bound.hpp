// The law of lower bounds: in the long run no run beats its listed bound.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/run/rows/run_result.hpp"

namespace ddl {

// Report if a run of k steps of the slowest worker took less than (k - free_steps) times its bound, or ""; for runs
// without jitter, whose workers all took their steps. `free_steps`: steps that may end before their messages or waits.
inline std::string beaten_bound(const run::RunResult& result, double free_steps) {
  if (result.steps.empty()) return "";
  std::int64_t fewest = 0;
  for (const std::int64_t steps : result.steps) {
    if (steps > 0) fewest = fewest == 0 ? steps : std::min(fewest, steps);
  }
  double last_s = 0;  // when the last worker has taken as many
  for (const run::IterationRow& row : result.iterations) {
    if (row.iteration == fewest - 1) last_s = std::max(last_s, row.end_s);
  }
  const double least_s = result.bounds.step_s * (static_cast<double>(fewest) - free_steps);
  if (last_s >= least_s * (1 - 1e-9)) return "";
  return fmt::format(
      "{} steps of the slowest worker took {} s, of which the bound is {} s each ({} {} s, compute {} s)", fewest,
      last_s, result.bounds.step_s, result.bounds.bottleneck, result.bounds.network_s, result.bounds.compute_s);
}

// Steps that a system may run ahead of its messages are counted by its settings: periods, queues, staleness.
inline double sum_of_counts(const nlohmann::json& settings) {
  if (settings.is_number_integer()) return std::max(0.0, settings.get<double>());
  double sum = 0;
  if (settings.is_structured()) {
    for (const auto& inner : settings) sum += sum_of_counts(inner);
  }
  return sum;
}

}  // namespace ddl

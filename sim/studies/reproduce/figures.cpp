#include "sim/studies/reproduce/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ddl::studies {
namespace {

constexpr const char* mean_row = "mean";

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) result[order[i]] = static_cast<double>(first + last) / 2;
    first = last + 1;
  }
  return result;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

}  // namespace

Reading final_accuracy_percent() {
  return [](const results::Summary& summary, const experiment::RunResult&) -> std::optional<double> {
    if (!summary.final_accuracy) return std::nullopt;
    return 100 * summary.final_accuracy->mean;
  };
}

Reading seconds_to(double accuracy) {
  return [accuracy](const results::Summary& summary, const experiment::RunResult&) -> std::optional<double> {
    for (const results::TargetReached& target : summary.targets) {
      if (target.accuracy == accuracy) return target.time_s;
    }
    return std::nullopt;
  };
}

Reading steps_to(double accuracy) {
  return [accuracy](const results::Summary&, const experiment::RunResult& result) -> std::optional<double> {
    for (const experiment::CurveRow& row : result.curve) {
      if (row.worker == mean_row && row.test_accuracy >= accuracy) return row.iteration * result.workers;
    }
    return std::nullopt;
  };
}

Reading fluctuation_percent() {
  return [](const results::Summary&, const experiment::RunResult& result) -> std::optional<double> {
    std::vector<double> accuracy;
    for (const experiment::CurveRow& row : result.curve) {
      if (row.worker == mean_row) accuracy.push_back(100 * row.test_accuracy);
    }
    if (accuracy.size() < 2) return std::nullopt;
    double way = 0;
    for (std::size_t i = 1; i < accuracy.size(); ++i) way += std::abs(accuracy[i] - accuracy[i - 1]);
    return (way - std::abs(accuracy.back() - accuracy.front())) / static_cast<double>(accuracy.size() - 1);
  };
}

double rank_correlation(const Outcome& outcome, const std::string& table) {
  std::vector<double> published, simulated;
  for (const Outcome::Value& value : outcome.values()) {
    if (value.place.table != table || !value.published || !value.simulated) continue;
    published.push_back(*value.published);
    simulated.push_back(*value.simulated);
  }
  return correlation(ranks(published), ranks(simulated));
}

std::string out_of(int count, int all) { return fmt::format("{} of {}", count, all); }

}  // namespace ddl::studies

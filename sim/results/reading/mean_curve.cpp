#include "sim/results/reading/mean_curve.hpp"

#include <algorithm>

#include "core/base/check.hpp"
#include "sim/results/reading/read_rows.hpp"
#include "sim/results/reading/statistics.hpp"

namespace ddl::results {
namespace {

// `line` is not empty and covers x. Of several points at one place the last counts.
double value_at(const Line& line, double x) {
  const auto after = static_cast<std::size_t>(std::upper_bound(line.x.begin(), line.x.end(), x) - line.x.begin());
  if (after == 0) return line.y.front();
  if (after == line.x.size() || line.x[after - 1] == x) return line.y[after - 1];
  const double share = (x - line.x[after - 1]) / (line.x[after] - line.x[after - 1]);
  return line.y[after - 1] + share * (line.y[after] - line.y[after - 1]);
}

}  // namespace

std::vector<run::CurveRow> read_mean_curve(const std::filesystem::path& folder) {
  std::vector<run::CurveRow> rows;
  read_rows<run::CurveRow>(folder, [&](const run::CurveRow& row) {
    if (row.worker == run::mean_of_workers) rows.push_back(row);
  });
  return rows;
}

std::vector<std::size_t> spread_evenly(std::size_t count, std::size_t most) {
  check(most >= 2, "room for the first and the last");
  const std::size_t kept = std::min(count, most);
  std::vector<std::size_t> positions(kept);
  for (std::size_t i = 0; i < kept; ++i) positions[i] = kept == count ? i : i * (count - 1) / (kept - 1);
  return positions;
}

Band band_of(const std::vector<Line>& runs, std::size_t most_points, BandKind kind) {
  std::vector<const Line*> lines;
  for (const Line& run : runs) {
    if (!run.x.empty()) lines.push_back(&run);
  }
  Band band;
  if (lines.empty()) return band;
  double first = lines.front()->x.front(), last = lines.front()->x.back();
  std::vector<double> places;
  for (const Line* line : lines) {
    first = std::max(first, line->x.front());
    last = std::min(last, line->x.back());
    places.insert(places.end(), line->x.begin(), line->x.end());
  }
  places.push_back(last);
  std::erase_if(places, [&](double x) { return x < first || x > last; });
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  for (const std::size_t place : spread_evenly(places.size(), most_points)) {
    std::vector<double> values;
    for (const Line* line : lines) values.push_back(value_at(*line, places[place]));
    const auto over_runs = estimate(values);
    if (!over_runs) continue;  // no runs
    band.x.push_back(places[place]);
    band.mean.push_back(over_runs->mean);
    const auto [least, largest] = std::minmax_element(values.begin(), values.end());
    const double half = kind == BandKind::interval    ? over_runs->half_width.value_or(0)
                        : kind == BandKind::deviation ? over_runs->deviation
                                                      : 0;
    band.low.push_back(kind == BandKind::extremes ? *least : over_runs->mean - half);
    band.high.push_back(kind == BandKind::extremes ? *largest : over_runs->mean + half);
  }
  return band;
}

}  // namespace ddl::results

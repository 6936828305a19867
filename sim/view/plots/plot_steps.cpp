// How long steps took, and how old what they used was: cumulative shares over all steps.
#include <algorithm>
#include <cmath>

#include "core/base/check.hpp"
#include "sim/results/reading/mean_curve.hpp"
#include "sim/results/reading/read_rows.hpp"
#include "sim/view/plots/figure.hpp"
#include "sim/view/plots/panels.hpp"
#include "sim/view/plots/picture.hpp"

namespace ddl::view {
namespace {

constexpr std::size_t most_stairs = 400;

// All of a group's steps, in order of size.
std::vector<double> values_of(const results::RunGroup& group, double (*value)(const run::IterationRow&)) {
  std::vector<double> values;
  for (const results::FinishedRun& run : group.runs) {
    results::NodeNames nodes;
    const bool recorded = results::read_rows<run::IterationRow>(
        run.folder, nodes, [&](const run::IterationRow& row) { values.push_back(value(row)); });
    if (!recorded) {
      throw InputError(run.folder.string() + ": has no iterations.csv; expected runs without record.iterations false");
    }
  }
  std::sort(values.begin(), values.end());
  return values;
}

// Rises by 1/n at each value: the share of values that are at most x.
void fill(Points& points, const std::vector<double>& values) {
  std::vector<std::size_t> last;  // of equal values
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i + 1 == values.size() || values[i + 1] != values[i]) last.push_back(i);
  }
  points.x.push_back(values.front());
  points.y.push_back(0);
  for (const std::size_t kept : results::spread_evenly(last.size(), most_stairs)) {
    points.x.push_back(values[last[kept]]);
    points.y.push_back(static_cast<double>(last[kept] + 1) / static_cast<double>(values.size()));
  }
}

Figure shares_of(const results::GroupedRuns& runs, const PictureOptions& options,
                 double (*value)(const run::IterationRow&), double& most) {
  const Arrangement arrangement = arrange(runs, options);
  Figure figure = figure_of(arrangement, options);
  for (std::size_t i = 0; i < runs.groups.size(); ++i) {
    const std::vector<double> values = values_of(runs.groups[i], value);
    if (values.empty()) continue;  // it did not finish a step
    Points& points = figure.panels[arrangement.of_group[i].panel].of_name[arrangement.of_group[i].name];
    points.runs = runs.groups[i].runs.size();
    fill(points, values);
    most = std::max(most, values.back());
  }
  figure.y.column = "share_of_steps";
  figure.y.most = 1;
  figure.shape = Shape::staircase;
  tell_runs(figure, "all steps of", "");
  return figure;
}

}  // namespace

void plot_step_times(const results::GroupedRuns& runs, const PictureOptions& options) {
  double most_s = 0;
  Figure figure = shares_of(
      runs, options, [](const run::IterationRow& row) { return row.end_s - row.start_s; }, most_s);
  figure.x.label = "time of a step";
  figure.x.column = "step_s";
  figure.x.scale = time_scale(most_s);
  figure.y.label = "share of steps at most this long";
  draw_lines(figure, options);
}

void plot_staleness(const results::GroupedRuns& runs, const PictureOptions& options) {
  double most = 0;
  Figure figure = shares_of(
      runs, options, [](const run::IterationRow& row) { return row.staleness; }, most);
  if (most == 0) throw InputError("no step used anything stale; nothing to draw");
  if (!options.log_x) figure.x.spacing = Spacing::logarithmic_from_zero;
  for (std::size_t name = 0; name < figure.names.size(); ++name) {
    const bool is_stale = std::ranges::any_of(figure.panels, [&](const Panel& panel) {
      const std::vector<double>& x = panel.of_name[name].x;
      return !x.empty() && x.back() > 0;
    });
    if (!is_stale) figure.tell_of(name, "always 0");
  }
  figure.x.label = "staleness (updates)";
  figure.x.column = "staleness_updates";
  figure.y.label = "share of steps at most this stale";
  draw_lines(figure, options);
}

}  // namespace ddl::view

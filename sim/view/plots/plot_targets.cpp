#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.hpp"
#include "sim/view/plots/figure.hpp"
#include "sim/view/plots/panels.hpp"
#include "sim/view/plots/picture.hpp"
#include "sim/view/targets.hpp"

namespace ddl::view {

void plot_targets(const results::GroupedRuns& runs, const PictureOptions& options) {
  const std::string what = options.y.empty() ? "time" : options.y;
  if (what != "time" && what != "bytes") {
    throw InputError(fmt::format("--y: \"{}\" is not available for targets; expected one of time, bytes", what));
  }
  const double target = chosen_target(runs, options.target);
  const std::string measure =
      what == "time" ? results::time_to(target, runs.metric()) : results::bytes_to(target, runs.metric());
  const Arrangement arrangement = arrange(runs, options);
  Figure figure = figure_of(arrangement, options);
  figure.keys.clear();  // names stand beside the bars
  double most = 0;
  bool any = false;
  for (std::size_t i = 0; i < runs.groups.size(); ++i) {
    const results::RunGroup& group = runs.groups[i];
    Points& points = figure.panels[arrangement.of_group[i].panel].of_name[arrangement.of_group[i].name];
    points.runs = group.runs.size();
    const std::size_t reached = group.count_with(measure);
    if (reached < group.runs.size()) {
      points.text = reached == 0 ? "not reached" : fmt::format("reached by {} of {}", reached, group.runs.size());
    }
    // A mean over those runs alone that get there would be biased.
    if (reached < group.runs.size()) continue;
    const results::Estimate estimate = *group.estimate_of(measure);
    points.x = {estimate.mean};
    points.y = {0};
    const auto interval = results::interval_of(estimate, 0, results::most_of_measure(measure));
    points.low = {interval ? interval->low : estimate.mean};
    points.high = {interval ? interval->high : estimate.mean};
    most = std::max(most, estimate.mean);
    any = true;
  }
  if (!any) throw InputError(fmt::format("no scenario reaches {} with all its runs; nothing to draw", target));
  figure.x.label = fmt::format("{} {} {}", what == "time" ? "time to" : "bytes sent until", runs.metric().word, target);
  figure.x.column = what == "time" ? "time_to_target_s" : "bytes_to_target";
  figure.x.scale = what == "time" ? time_scale(most) : byte_scale(most);
  tell_runs(figure, "mean of", "whiskers: its 95 % interval");
  draw_bars(figure, options);
}

}  // namespace ddl::view

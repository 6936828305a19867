#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/check.hpp"
#include "sim/results/reading/baseline.hpp"
#include "sim/results/reading/statistics.hpp"
#include "sim/view/plots/figure.hpp"
#include "sim/view/plots/panels.hpp"
#include "sim/view/plots/picture.hpp"
#include "sim/view/targets.hpp"

namespace ddl::view {
namespace {

// What is compared: seconds to a target, or per sample.
class Pace {
 public:
  Pace(const results::GroupedRuns& runs, const PictureOptions& options) : metric_(runs.metric().word) {
    const bool targets = !shared_targets(runs).empty();
    const std::string what = !options.y.empty() ? options.y : targets || options.target ? "time" : "samples";
    if (what != "time" && what != "samples") {
      throw InputError(fmt::format("--y: \"{}\" is not available for speed-up; expected one of time, samples", what));
    }
    if (what == "time") {
      target_ = chosen_target(runs, options.target);
    } else if (options.target) {
      throw InputError("--target: is for --y time");
    }
  }

  // None of a run that does not get there.
  std::optional<double> seconds(const results::FinishedRun& run) const {
    if (run.stopped_by == "diverged") return std::nullopt;
    if (target_) return run.measure(results::time_to(*target_, run.metric));
    const auto samples = run.measure("samples"), simulated_s = run.measure("simulated_seconds");
    return samples && simulated_s && *samples > 0 ? std::optional(*simulated_s / *samples) : std::nullopt;
  }

  std::string told() const {
    return target_ ? fmt::format("in time to {} {}", metric_, *target_) : "in samples per second";
  }

 private:
  std::string_view metric_;
  std::optional<double> target_;
};

// Seconds of the baseline over those of the group, run by run of the same seed.
std::vector<double> ratios(const results::RunGroup& base, const results::RunGroup& group, const Pace& pace) {
  std::map<std::uint64_t, double> of_seed;
  for (const results::FinishedRun& run : base.runs) {
    if (const auto seconds = pace.seconds(run)) of_seed[run.seed] = *seconds;
  }
  std::vector<double> ratios;
  for (const results::FinishedRun& run : group.runs) {
    const auto seconds = pace.seconds(run);
    const auto other = of_seed.find(run.seed);
    if (seconds && *seconds > 0 && other != of_seed.end()) ratios.push_back(other->second / *seconds);
  }
  return ratios;
}

// Groups of one place, by their number of workers.
using Series = std::map<std::size_t, std::size_t>;  // group by workers

std::map<std::pair<std::size_t, std::size_t>, Series> series_of(const results::GroupedRuns& runs,
                                                                const Arrangement& arrangement,
                                                                const std::string& workers_path) {
  std::map<std::pair<std::size_t, std::size_t>, Series> series;
  for (std::size_t i = 0; i < runs.groups.size(); ++i) {
    const auto [panel, name] = arrangement.of_group[i];
    const std::size_t workers = runs.groups[i].runs.front().workers.size();
    if (!series[{panel, name}].emplace(workers, i).second) {
      throw InputError(
          fmt::format("two scenarios with {} workers are both \"{}\"; expected a sweep over {}, or fewer "
                      "folders",
                      workers, arrangement.names[name], workers_path));
    }
  }
  return series;
}

}  // namespace

void plot_speed_up(const results::GroupedRuns& runs, const PictureOptions& options) {
  const Pace pace(runs, options);
  const auto workers_path = std::ranges::find_if(runs.varied, is_of_workers);
  if (workers_path == runs.varied.end()) {
    throw InputError("speed-up is drawn over the number of workers; expected runs that differ in platform.workers");
  }
  results::GroupedRuns others{runs.varied, {}};  // `single` is what they are measured by
  const auto all_baselines = results::baselines_of(runs);
  std::vector<std::optional<std::size_t>> baselines;
  for (std::size_t i = 0; i < runs.groups.size(); ++i) {
    if (results::is_one_worker(runs.groups[i])) continue;
    others.groups.push_back(runs.groups[i]);
    baselines.push_back(all_baselines[i]);
  }
  if (others.groups.empty()) throw InputError("all runs are of one worker; there is no speed-up");
  const bool by_single = std::ranges::all_of(baselines, [](const auto& base) { return base.has_value(); });
  const Arrangement arrangement = arrange(others, options, *workers_path);
  Figure figure = figure_of(arrangement, options);
  std::set<double> workers_drawn;
  for (const auto& [place, series] : series_of(others, arrangement, *workers_path)) {
    Points& points = figure.panels[place.first].of_name[place.second];
    for (const auto& [workers, group] : series) {
      const results::RunGroup& base =
          by_single ? runs.groups[*baselines[group]] : others.groups[series.begin()->second];
      const results::RunGroup& own = others.groups[group];
      points.runs = std::max(points.runs, own.runs.size());
      const auto estimate = results::estimate(ratios(base, own, pace));
      if (!estimate || estimate->count < own.runs.size()) continue;  // some run does not get there
      const auto interval = results::interval_of(*estimate, 0, results::most_of_measure(""));
      points.x.push_back(static_cast<double>(workers));
      points.y.push_back(estimate->mean);
      points.low.push_back(interval ? interval->low : estimate->mean);
      points.high.push_back(interval ? interval->high : estimate->mean);
      workers_drawn.insert(points.x.back());
    }
  }
  if (workers_drawn.empty())
    throw InputError("no scenario gets there with all its runs; nothing to draw " + pace.told() + " of");
  figure.x.label = "workers";
  figure.x.column = "workers";
  figure.x.ticks.assign(workers_drawn.begin(), workers_drawn.end());
  figure.y.label = by_single ? "speed-up over one worker" : "speed-up over the fewest workers";
  figure.y.column = "speed_up";
  figure.shape = Shape::points;
  figure.tell(pace.told());
  tell_runs(figure, "mean of", "whiskers: its 95 % interval");
  for (std::size_t name = 0; name < figure.names.size(); ++name) {
    if (std::ranges::all_of(figure.panels, [&](const Panel& panel) { return panel.of_name[name].x.empty(); })) {
      figure.tell_of(name, "not reached");
    }
  }
  draw_lines(figure, options);
}

}  // namespace ddl::view

#include <iostream>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/results/reading/find_results.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/view/plots/figure.hpp"
#include "sim/view/plots/gnuplot.hpp"
#include "sim/view/plots/panels.hpp"

namespace ddl::cli {
namespace {

void draw_groups(const PlotSettings& settings, std::vector<results::FinishedRun> runs) {
  results::GroupedRuns grouped = results::group_runs(std::move(runs), !settings.every_run);
  view::drop_what_is_decided(grouped);
  const auto draw = settings.kind == "map"         ? view::plot_winners
                    : settings.kind == "target"    ? view::plot_targets
                    : settings.kind == "speedup"   ? view::plot_speed_up
                    : settings.kind == "steps"     ? view::plot_step_times
                    : settings.kind == "staleness" ? view::plot_staleness
                                                   : view::plot_curves;
  draw(grouped, settings.picture);
}

}  // namespace

void plot(const PlotSettings& settings) {
  const std::string& file = settings.picture.file;
  view::picture_format(file);
  std::vector<results::FinishedRun> runs;
  for (const auto& folder : results::find_results(settings.results)) runs.push_back(results::read_finished(folder));
  if (settings.kind != "links") {
    draw_groups(settings, std::move(runs));
  } else if (runs.size() == 1) {
    view::plot_links(runs.front(), settings.picture);
  } else {
    throw InputError("--kind links: draws one run, not " + std::to_string(runs.size()) +
                     "; expected the folder of one seed");
  }
  results::message_stream(file) << file << "\n" << view::data_file(file) << "\n";
}

}  // namespace ddl::cli

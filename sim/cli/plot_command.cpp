#include <iostream>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/results/reading/find_results.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/view/gnuplot.hpp"

namespace ddl::cli {

void plot(const PlotSettings& settings) {
  view::picture_format(settings.picture.file);
  if (settings.picture.target && settings.kind != "map") throw InputError("--target: is for --kind map");
  if (!settings.picture.y.empty() && settings.kind == "links") throw InputError("--y: is not for --kind links");
  std::vector<results::FinishedRun> runs;
  for (const auto& folder : results::find_results(settings.results)) runs.push_back(results::read_finished(folder));
  if (settings.kind == "links") {
    if (runs.size() != 1) {
      throw InputError("--kind links: draws one run, not " + std::to_string(runs.size()) +
                       "; expected the folder of one seed");
    }
    view::plot_links(runs.front(), settings.picture);
  } else {
    const results::GroupedRuns grouped = results::group_runs(std::move(runs), !settings.every_run);
    settings.kind == "map" ? view::plot_winners(grouped, settings.picture)
                           : view::plot_curves(grouped, settings.picture);
  }
  results::message_stream(settings.picture.file) << settings.picture.file << "\n";
}

}  // namespace ddl::cli

#include <iostream>

#include "core/base/check.hpp"
#include "sim/cli/commands.hpp"
#include "sim/plot/gnuplot.hpp"
#include "sim/record/whole_file.hpp"
#include "sim/results/find_results.hpp"

namespace ddl {

void plot(const PlotSettings& settings) {
  picture_format(settings.picture.file);
  if (settings.picture.target && settings.kind != "map") throw InputError("--target: is for --kind map");
  if (!settings.picture.y.empty() && settings.kind == "links") throw InputError("--y: is not for --kind links");
  std::vector<FinishedRun> runs;
  for (const auto& folder : find_results(settings.results)) runs.push_back(read_finished(folder));
  if (settings.kind == "links") {
    if (runs.size() != 1) {
      throw InputError("--kind links: draws one run, not " + std::to_string(runs.size()) +
                       "; expected the folder of one seed");
    }
    plot_links(runs.front(), settings.picture);
  } else {
    const GroupedRuns grouped = group_runs(std::move(runs), !settings.every_run);
    settings.kind == "map" ? plot_winners(grouped, settings.picture) : plot_curves(grouped, settings.picture);
  }
  beside(settings.picture.file) << settings.picture.file << "\n";
}

}  // namespace ddl

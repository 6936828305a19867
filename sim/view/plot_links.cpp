#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/check.hpp"
#include "sim/results/reading/read_rows.hpp"
#include "sim/view/gnuplot.hpp"
#include "sim/view/picture.hpp"

namespace ddl::view {
namespace {

constexpr std::size_t most_links = 40, row_height = 22;

struct LinkLine {
  std::string name;
  std::vector<experiment::LinkPeriod> periods;
  double busy_s = 0;
};

std::vector<LinkLine> lines_of(const results::FinishedRun& run) {
  std::vector<LinkLine> lines;
  const bool recorded =
      results::read_rows<experiment::LinkPeriod>(run.folder, [&](const experiment::LinkPeriod& period) {
        const std::string name = period.link + " " + period.direction;
        if (lines.empty() || lines.back().name != name) lines.push_back({name, {}, 0});
        lines.back().periods.push_back(period);
        lines.back().busy_s += period.utilisation * (period.end_s - period.start_s);
      });
  if (!recorded) {
    throw InputError(run.folder.string() + ": has no links.csv; expected a run with --trace, which writes it");
  }
  if (lines.empty()) throw InputError(run.folder.string() + ": nothing travelled over its links");
  return lines;
}

}  // namespace

void plot_links(const results::FinishedRun& run, const PictureOptions& options) {
  std::vector<LinkLine> lines = lines_of(run);
  const std::size_t all = lines.size();
  if (all > most_links) {
    std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.busy_s > b.busy_s; });
    lines.resize(most_links);
  }
  std::reverse(lines.begin(), lines.end());  // gnuplot counts rows from below
  double end_s = 0;
  std::vector<std::string> names;
  std::string text = "$cells << END_OF_DATA\n";
  for (std::size_t row = 0; row < lines.size(); ++row) {
    names.push_back(lines[row].name);
    for (const experiment::LinkPeriod& period : lines[row].periods) {
      end_s = std::max(end_s, period.end_s);
      text += fmt::format("{} {} {} {}\n", row + 1, gnuplot_number(period.start_s), gnuplot_number(period.end_s),
                          gnuplot_number(period.utilisation));
    }
  }
  const std::string cut = all > most_links ? fmt::format(" (the {} busiest of {} links)", most_links, all) : "";
  const std::string title =
      (options.title.empty() ? fmt::format("{} (seed {})", run.name, run.seed) : options.title) + cut;
  text += "END_OF_DATA\n" + gnuplot_array("link_name", names);
  text += fmt::format("x_label = 'simulated time (s)'\nplot_title = {}\nx_end = {}\n", gnuplot_text(title), end_s);
  text +=
      fmt::format("plot_width = 820\nplot_height = {}\n", std::max<std::size_t>(260, 110 + row_height * lines.size()));
  draw(options.file, text, links_script);
}

}  // namespace ddl::view

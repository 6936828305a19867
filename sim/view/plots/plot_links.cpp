#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/check.hpp"
#include "sim/results/reading/read_rows.hpp"
#include "sim/results/writing/csv.hpp"
#include "sim/results/writing/whole_file.hpp"
#include "sim/view/plots/gnuplot.hpp"
#include "sim/view/plots/layout.hpp"
#include "sim/view/plots/picture.hpp"

namespace ddl::view {
namespace {

constexpr std::size_t most_links = 40;

struct LinkLine {
  std::string name;
  std::vector<run::LinkPeriod> periods;
  double busy_s = 0;
};

std::vector<LinkLine> lines_of(const results::FinishedRun& run) {
  std::vector<LinkLine> lines;
  const bool recorded = results::read_rows<run::LinkPeriod>(run.folder, [&](const run::LinkPeriod& period) {
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
  std::string text = "$cells << END_OF_DATA\n", data = "link,start_s,end_s,utilisation\n";
  for (std::size_t row = 0; row < lines.size(); ++row) {
    names.push_back(lines[row].name);
    for (const run::LinkPeriod& period : lines[row].periods) {
      end_s = std::max(end_s, period.end_s);
      text += fmt::format("{} {} {} {}\n", row + 1, gnuplot_number(period.start_s), gnuplot_number(period.end_s),
                          gnuplot_number(period.utilisation));
      data += fmt::format("{},{},{},{}\n", results::csv_field(lines[row].name), results::csv_field(period.start_s),
                          results::csv_field(period.end_s), results::csv_field(period.utilisation));
    }
  }
  const std::string cut = all > most_links ? fmt::format(" (the {} busiest of {} links)", most_links, all) : "";
  const std::string title =
      (options.title.empty() ? fmt::format("{} (seed {})", run.name, run.seed) : options.title) + cut;
  const Limits& x = options.x_limits;
  text += "END_OF_DATA\n" + gnuplot_array("link_name", names);
  text += fmt::format("x_label = {}\nplot_title = {}\nx_start = {}\nx_end = {}\n",
                      gnuplot_text(options.x_label.empty() ? "simulated time (s)" : options.x_label),
                      gnuplot_text(title), x.low.value_or(0), x.high.value_or(end_s));
  Sheet sheet = sheet_of(options.size, 820, 0);
  constexpr double row_height = 1.57, around = 7.8;
  if (sheet.chooses_height) {
    sheet.canvas.height = sheet.canvas.type * std::max(18.0, around + row_height * static_cast<double>(lines.size()));
  }
  draw(options.file, {title, options.command, sheet.canvas}, text, links_script);
  results::write_whole(data_file(options.file), data);
}

}  // namespace ddl::view
